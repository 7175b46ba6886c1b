import type { DynamoDBStreamEvent } from "aws-lambda";
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { handler as confirmHandler } from "../../functions/accounts/confirm-login.ts";
import { handler as deliverPin } from "../../functions/workers/deliver-pin.ts";
import { confirmLogin } from "../../shared/contract/accounts.ts";
import type { RefusalCode } from "../../shared/contract/refusals.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { count, metrics } from "../../shared/run/log.ts";
import { updateIf } from "../../shared/table/writes.ts";
import { forStream } from "../../shared/worker.ts";
import { sample } from "../http/sample-operation.ts";
import { userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { call } from "../support/requests/call.ts";
import { forgetLimits } from "../support/requests/limits.ts";
import { forgetPinsOf, newestPin, otherPin, pinMessage } from "../support/requests/pins.ts";
import { countedMetrics, loggedLines } from "../support/service/capture-logs.ts";
import { useService } from "../support/service/service.ts";
import { queueEvent, streamRecord } from "../support/workers/workers.ts";

const service = useService();
const login = "+447400123456";

beforeAll(() => store([userLine(10, { phone_number: login })]));
beforeEach(() => void loggedLines.splice(0));
afterEach(() => void vi.useRealTimers());

describe("a metric is one line of JSON in CloudWatch's embedded metric format", () => {
  const now = Date.parse("2026-06-01T08:00:00.123Z");
  const directive = { Namespace: "Workforce/test", Metrics: [{ Name: "Faults", Unit: "Count" }] };

  test("with its dimension beside it, once for each set of dimensions that it is found by", () => {
    vi.useFakeTimers({ now, toFake: ["Date"] });
    count("Faults", { operation: "sign-in" });
    const CloudWatchMetrics = [{ ...directive, Dimensions: [["operation"], []] }];
    const line = { _aws: { Timestamp: now, CloudWatchMetrics }, operation: "sign-in", Faults: 1 };
    expect(loggedLines.map((each) => JSON.parse(each))).toEqual([line]);
    expect(loggedLines[0]).toMatch(/^[^\n]+\n$/);
  });

  test("without dimensions as one empty set of them, which the format asks for", () => {
    vi.useFakeTimers({ now, toFake: ["Date"] });
    count("CountersBelowZero", {}, 7);
    const CloudWatchMetrics = [
      { ...directive, Dimensions: [[]], Metrics: [{ Name: "CountersBelowZero", Unit: "Count" }] },
    ];
    expect(JSON.parse(loggedLines[0] ?? "")).toEqual({
      _aws: { Timestamp: now, CloudWatchMetrics },
      CountersBelowZero: 7,
    });
  });

  test("and none where the stage names no namespace, as nobody reads it", () => {
    vi.stubEnv("METRIC_NAMESPACE", undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    count("Faults", { operation: "sign-in" });
    expect(loggedLines).toEqual([]);
  });

  test("none has another dimension than operation, version and source system: no dimension can name a person", () => {
    expect(new Set(Object.values(metrics).flat(2))).toEqual(new Set(["operation", "version", "source"]));
  });
});

describe("Faults", () => {
  const answering = (thrown: Error) =>
    call(
      anonymous(sample, () => Promise.reject(thrown)),
      sample,
    );

  test("counts an answer with a 5xx, whether it broke or is busy", async () => {
    await answering(new Error("broken"));
    await answering(new Refusal("busy", "later"));
    expect(countedMetrics()).toEqual([
      { operation: "sample", Faults: 1 },
      { operation: "sample", Faults: 1 },
    ]);
  });

  test.each<RefusalCode>([
    "login_invalid",
    "fields_invalid",
    "too_many_requests",
  ])("counts no refusal, as it is the caller's: %s", async (code) => {
    await answering(new Refusal(code, "no"));
    expect(countedMetrics()).toEqual([]);
  });

  test("counts no answer that is well", async () => {
    await call(
      anonymous(sample, async () => ({ shown: "well" })),
      sample,
    );
    expect(countedMetrics()).toEqual([]);
  });

  test("counts no message of a queue that fails: the queue has alarms of its own", async () => {
    await deliverPin(queueEvent("{", "{}", pinMessage("nobody@example.com")));
    expect(loggedLines.filter((line) => line.includes('"level":"error"'))).toHaveLength(2);
    expect(countedMetrics()).toEqual([]);
  });

  const change = streamRecord({ pk: "JOB#1", sk: "JOB" }, { after: { pk: "JOB#1", sk: "JOB" } });
  const event: DynamoDBStreamEvent = { Records: [change, change] };

  test("counts no batch of the stream that is given back: the stream has alarms of its own", async () => {
    const timeout = Object.assign(new Error("slow"), { name: "TimeoutError" });
    expect((await forStream(() => Promise.reject(timeout))(event)).batchItemFailures).toHaveLength(1);
    expect(countedMetrics()).toEqual([]);
  });

  test("StreamRecordsQuarantined counts each change that was quarantined", async () => {
    const { batchItemFailures } = await forStream(() => Promise.reject(new Error("odd")))(event);
    expect(batchItemFailures).toEqual([]);
    const aside = { StreamRecordsQuarantined: 1 };
    expect(countedMetrics()).toEqual([aside, aside]);
  });
});

describe("the line of a fault says what people cannot do", () => {
  const impact = "Nobody can sign in.";
  const impactOf = async (work: () => Promise<unknown>) => {
    vi.stubEnv("IMPACT", impact);
    await work();
    vi.unstubAllEnvs();
    const lines = loggedLines.map((line) => JSON.parse(line)).filter(({ message }) => message !== undefined);
    return lines.map((line) => line.impact);
  };
  const answer = (thrown: Error) =>
    call(
      anonymous(sample, () => Promise.reject(thrown)),
      sample,
    );

  test.each<[string, Error, unknown[]]>([
    ["an answer that broke", new Error("broken"), [impact]],
    ["one that is busy", new Refusal("busy", "later"), [impact]],
    ["and not that of a refusal", new Refusal("login_invalid", "no"), [undefined]],
  ])("%s", async (_, thrown, impacts) => {
    expect(await impactOf(() => answer(thrown))).toEqual(impacts);
  });

  test("a message of a queue that failed, and none that is processed", async () => {
    expect(await impactOf(() => deliverPin(queueEvent("{", pinMessage("nobody@example.com"))))).toEqual(
      expect.arrayContaining([impact, undefined]),
    );
  });
});

describe("VersionFaults", () => {
  const answering = async (thrown: Error) => {
    await call(
      anonymous(sample, () => Promise.reject(thrown)),
      sample,
    );
    return countedMetrics().filter((metric) => "VersionFaults" in metric);
  };
  afterEach(() => void vi.unstubAllEnvs());

  test("counts a fault under the version that answered it; D18: busy is none, as any caller can provoke it", async () => {
    vi.stubEnv("AWS_LAMBDA_FUNCTION_VERSION", "7");
    expect(await answering(new Refusal("busy", "later"))).toEqual([]);
    const throttled = Object.assign(new Error("Rate exceeded"), { name: "ThrottlingException" });
    expect(await answering(throttled)).toEqual([]);
    expect(await answering(new Refusal("too_many_requests", "no"))).toEqual([]);
    expect(await answering(new Error("broken"))).toEqual([{ operation: "sample", version: "7", VersionFaults: 1 }]);
  });

  test("401 and 403 count as VersionRefusals of the version, and as Refusals of all; other refusals do not", async () => {
    vi.stubEnv("AWS_LAMBDA_FUNCTION_VERSION", "7");
    const counted = async (thrown: Error) => {
      loggedLines.length = 0;
      await answering(thrown);
      return countedMetrics();
    };
    const both = [
      { operation: "sample", version: "7", VersionRefusals: 1 },
      { operation: "sample", Refusals: 1 },
    ];
    expect(await counted(new Refusal("token_invalid", "no"))).toEqual(both);
    expect(await counted(new Refusal("passcode_invalid", "no"))).toEqual(both);
    expect(await counted(new Refusal("too_many_requests", "no"))).toEqual([]);
    vi.stubEnv("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST");
    expect(await counted(new Refusal("passcode_invalid", "no"))).toEqual([]);
  });

  test("costs nothing where no version is released", async () => {
    vi.stubEnv("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST");
    expect(await answering(new Error("broken"))).toEqual([]);
  });
});

test("PinFailures counts pins that are wrong, spent, or of an unknown login; a right one is none", async () => {
  await deliverPin(queueEvent(await pinRequest()));
  const pin = newestPin(service.inbox, login);
  const wrong = otherPin(pin);
  loggedLines.length = 0;
  const attempt = async (query: object) =>
    (await call(confirmHandler, confirmLogin, { query: { login, pin, ...query } })).status;
  const statuses = [await attempt({ pin: wrong }), await attempt({ login: "nobody@example.com" }), await attempt({})];
  expect([...statuses, await attempt({})]).toEqual([422, 422, 200, 422]);
  expect(countedMetrics()).toEqual([{ PinFailures: 1 }, { PinFailures: 1 }, { PinFailures: 1 }]);
});

test("SmsSent counts an SMS that went out, SmsShare how much of the day's is used, SmsRefused and FurtherMessagesRefused those held back", async () => {
  await forgetLimits(service);
  vi.stubEnv("SMS_CEILINGS", '{"perDay":3}');
  for (const client of ["one", "other", "other"]) await deliverPin(queueEvent(await pinRequest(client)));
  const sk = `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`;
  await updateIf({ pk: "LIMIT#sms#one", sk }, { set: { n: 20 } });
  await deliverPin(queueEvent(await pinRequest("one")));
  vi.unstubAllEnvs();
  expect(countedMetrics()).toEqual([
    { SmsShare: 34 },
    { SmsSent: 1 },
    { SmsShare: 67 },
    { SmsSent: 1 },
    { SmsRefused: 1 },
    { FurtherMessagesRefused: 1 },
  ]);
});

test("MailShare and MailRefused say the same of e-mails", async () => {
  await store([userLine(11, { email: "mail@example.com" })]);
  vi.stubEnv("MAIL_CEILINGS", '{"perDay":2}');
  for (const client of ["one", "other"]) await deliverPin(queueEvent(await pinRequest(client, "mail@example.com")));
  vi.unstubAllEnvs();
  expect(countedMetrics()).toEqual([{ MailShare: 50 }, { MailRefused: 1 }]);
  const reached = loggedLines.filter((line) => line.includes('"code":"email_ceiling_reached"'));
  expect(reached.map((line) => JSON.parse(line).level)).toEqual(["error"]);
  expect(reached.join("")).not.toContain("@example");
});

test("an SMS that SNS refuses is a fault and does not count as sent", async () => {
  service.endpoints.failNext("Publish", "InvalidParameter");
  await deliverPin(queueEvent(await pinRequest()));
  expect(loggedLines.filter((line) => line.includes('"level":"error"'))).toHaveLength(1);
  expect(countedMetrics()).toEqual([{ SmsShare: expect.any(Number) }]);
});

/** The message of a client's request that is its login's first. */
async function pinRequest(client = "client", to = login) {
  await forgetPinsOf(to);
  return { ...pinMessage(to), client };
}
