import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { acquireLease, handler } from "../../../functions/workers/notify-password-changed.ts";
import { timeOrderedId } from "../../../shared/run/time-ordered-id.ts";
import { updateIf } from "../../../shared/table/writes.ts";
import { beforeCalls } from "../../support/faults/before-calls.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";
import { nothingFailed, queueEvent } from "../../support/workers/workers.ts";

const service = useService();
const phone = "+447400123456";
const otherPhone = "+447400123457";
let changedAt = "2026-05-01T09:00:59.999Z";

beforeAll(() =>
  store([
    userLine(10, { email: "both@example.com", phone_number: phone }),
    userLine(11, { email: "mail@example.com" }),
    userLine(12, { email: null, phone_number: otherPhone }),
    userLine(13, { email: null, contact_phone_number: "+447400123458" }),
    userLine(14, { email: "gone@example.com" }),
    userLine(15, { email: "half@example.com", phone_number: "+447400123459" }),
    userLine(17, { email: "landline@example.com", phone_number: "+442079460958" }),
    userLine(18, { email: "premium@example.com", phone_number: "+449098790000" }),
    userLine(19, { email: null, phone_number: "+353990000000" }),
    userLine(16, { email: "refused@example.com", phone_number: "+447400123460" }),
  ]),
);
beforeEach(() => {
  service.inbox.clear();
  // Each test is about a change of its own.
  changedAt = new Date(Date.parse(changedAt) - 1_000).toISOString();
});
afterEach(() => void vi.useRealTimers());

function deliver(...messages: (number | string)[]) {
  return handler(
    queueEvent(...messages.map((each) => (typeof each === "string" ? each : { userId: each, changedAt }))),
  );
}

function sent(): string[] {
  return service.inbox
    .entries()
    .map(({ channel, to }) => `${channel} ${to}`)
    .sort();
}

describe("D14: a user whose password was changed", () => {
  test.each([
    [10, ["email both@example.com", `sms ${phone}`]],
    [11, ["email mail@example.com"]],
    [12, [`sms ${otherPhone}`]],
    [13, []],
    // D7: no SMS goes to landlines and premium numbers; those of unknown kind are a stored user's.
    [17, ["email landline@example.com"]],
    [18, ["email premium@example.com"]],
    [19, ["sms +353990000000"]],
  ])("is notified on every channel they sign in by: user %i", async (userId, channels) => {
    expect(await deliver(userId)).toEqual(nothingFailed);
    expect(sent()).toEqual(channels);
  });

  test("reads in text, HTML and by SMS what happened, when and what to do, and finds no link", async () => {
    await deliver(10);
    const [email, sms] = ["email", "sms"].map((by) => service.inbox.entries().find(({ channel }) => channel === by));
    expect(email?.subject).toBe("Your Workforce password was changed");
    for (const body of [email?.text, email?.html]) {
      expect(body).toContain("The password of your Workforce account was changed on 1 May 2026 at 09:00 UTC.");
      expect(body).toContain("If it was not you");
    }
    expect(sms?.text).toContain("Workforce: your password was changed on 1 May 2026 at 09:00 UTC. Not you?");
    for (const body of [email?.text, email?.html, sms?.text]) expect(body).not.toMatch(/https?:|href|www\./i);
  });

  test("gets nothing once they are removed", async () => {
    await store([{ type: "user", id: 14, deleted: true }]);
    expect(await deliver(14, 9_999)).toEqual(nothingFailed);
    expect(sent()).toEqual([]);
  });
});

describe("D14: a message", () => {
  test("whose SMS fails repeats the SMS alone, and a redrive sends nothing", async () => {
    service.endpoints.failNext("Publish", "InternalError", 3);
    expect(await deliver(15)).toEqual({ batchItemFailures: [{ itemIdentifier: "message-0" }] });
    expect(sent()).toEqual(["email half@example.com"]);
    service.endpoints.failNext("Publish", "InternalError", 0);
    expect(await deliver(15)).toEqual(nothingFailed);
    expect(await deliver(15)).toEqual(nothingFailed);
    expect(sent()).toEqual(["email half@example.com", "sms +447400123459"]);
  });

  test("D11: whose SMS fails twice and is sent then counts as one SMS", async () => {
    vi.useFakeTimers({ now: new Date("2026-05-03T09:00:00.000Z"), toFake: ["Date"] });
    service.endpoints.failNext("Publish", "InternalError", 2);
    expect((await deliver(15)).batchItemFailures).toHaveLength(1);
    expect((await deliver(15)).batchItemFailures).toHaveLength(1);
    expect(await deliver(15)).toEqual(nothingFailed);
    expect(sent()).toContain("sms +447400123459");
    expect(await readItem({ pk: "LIMIT#sms", sk: "2026-05-03T00:00:00.000Z" })).toMatchObject({ n: 1 });
  });

  test("D11: whose SMS cannot be counted is sent by e-mail at once, and by SMS when it comes again", async () => {
    vi.useFakeTimers({ now: new Date("2026-05-04T09:00:00.000Z"), toFake: ["Date"] });
    const failCounts = (_: string, input: object) => {
      if (JSON.stringify(input).includes('"LIMIT#')) throw new Error("The table does not answer");
    };
    expect((await beforeCalls(failCounts, () => deliver(15))).batchItemFailures).toHaveLength(1);
    expect(sent()).toEqual(["email half@example.com"]);
    expect(await deliver(15)).toEqual(nothingFailed);
    expect(sent()).toEqual(["email half@example.com", "sms +447400123459"]);
    expect(await readItem({ pk: "LIMIT#sms", sk: "2026-05-04T00:00:00.000Z" })).toMatchObject({ n: 1 });
  });

  test("D11: whose SMS would be above its share, that of a client's first, is sent by e-mail alone", async () => {
    vi.useFakeTimers({ now: new Date("2026-05-06T09:00:00.000Z"), toFake: ["Date"] });
    vi.stubEnv("SMS_CEILINGS", '{"perDay":10}');
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const [n, channels] of [
      [9, ["email both@example.com"]],
      [8, ["email half@example.com", "sms +447400123459"]],
    ] as const) {
      service.inbox.clear();
      await updateIf({ pk: "LIMIT#sms", sk: "2026-05-06T00:00:00.000Z" }, { set: { n } });
      expect(await deliver(n === 9 ? 10 : 15)).toEqual(nothingFailed);
      expect(sent()).toEqual(channels);
    }
  });

  test("D7, D11: whose number takes no SMS uses none of the day's", async () => {
    vi.useFakeTimers({ now: new Date("2026-05-05T09:00:00.000Z"), toFake: ["Date"] });
    expect(await deliver(17)).toEqual(nothingFailed);
    expect(await readItem({ pk: "LIMIT#sms", sk: "2026-05-05T00:00:00.000Z" })).toBeUndefined();
  });

  test("of a later change is sent by every channel again", async () => {
    await deliver(15);
    service.inbox.clear();
    expect(await deliver(JSON.stringify({ userId: 15, changedAt: "2026-05-02T09:00:00.000Z" }))).toEqual(nothingFailed);
    expect(sent()).toEqual(["email half@example.com", "sms +447400123459"]);
  });

  test("whose recipient SES refuses for good is taken: the log has a code, a metric counts it, the SMS is sent", async () => {
    loggedLines.length = 0;
    service.endpoints.failNext("SendEmail", "InvalidParameterValue");
    expect(await deliver(16)).toEqual(nothingFailed);
    expect(sent()).toEqual(["sms +447400123460"]);
    const lines = loggedLines.map((line) => JSON.parse(line));
    expect(lines).toContainEqual(expect.objectContaining({ level: "warn", code: "recipient_refused" }));
    expect(lines).toContainEqual(expect.objectContaining({ RecipientsRefused: 1 }));
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
    expect(await deliver(16)).toEqual(nothingFailed);
    expect(sent()).toEqual(["sms +447400123460"]);
  });

  test.each([
    '{"userId":0,"changedAt":"2026-05-01T09:00:00.000Z"}',
    '{"userId":11,"changedAt":"yesterday"}',
  ])("that is malformed (%s) goes back and blocks nobody", async (malformed) => {
    expect(await deliver(malformed, 11)).toEqual({ batchItemFailures: [{ itemIdentifier: "message-0" }] });
    expect(sent()).toEqual(["email mail@example.com"]);
  });
});

describe("D46: a user who has a new API key", () => {
  const made = timeOrderedId(new Date("2026-05-07T09:00:00.000Z"), 1);
  const key = { userId: 10, keyId: made, validTo: "2026-08-05T09:00:00.000Z", access: "act", isMinted: false };
  const deliverKeys = (...keys: object[]) => deliver(...keys.map((each) => JSON.stringify(each)));

  test("is notified on every channel, of a second one of the same millisecond too, and of a repeated message once", async () => {
    expect(await deliverKeys(key)).toEqual(nothingFailed);
    expect(sent()).toEqual(["email both@example.com", `sms ${phone}`]);
    const [mail] = service.inbox.entries().filter(({ channel }) => channel === "email");
    expect(mail?.text).toContain("An API key of your Workforce account was created on 7 May 2026 at 09:00 UTC.");
    expect(mail?.text).toContain("Until 5 August 2026 a program that has it can read and change what you can.");
    expect(await deliverKeys(key)).toEqual(nothingFailed);
    expect(sent()).toHaveLength(2);
    expect(await deliverKeys({ ...key, keyId: made + 1 })).toEqual(nothingFailed);
    expect(sent()).toHaveLength(4);
  });

  test("that an engineer made gets a mail alone", async () => {
    expect(await deliverKeys({ ...key, keyId: made + 2, isMinted: true })).toEqual(nothingFailed);
    expect(sent()).toEqual(["email both@example.com"]);
  });
});

test("D14: a worker has a notice for 90 seconds, and another one from then on", async () => {
  const now = Date.parse("2026-05-01T09:01:00.000Z");
  const acquire = (ms: number) =>
    acquireLease(11, { kind: "password_changed", at: new Date(changedAt) }, new Date(now + ms));
  await acquire(0);
  await expect(acquire(90_000)).rejects.toMatchObject({ code: "busy" });
  expect(await acquire(90_001)).toMatchObject({ served: [] });
});
