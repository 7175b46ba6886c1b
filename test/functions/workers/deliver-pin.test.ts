import type { SQSEvent } from "aws-lambda";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as confirmHandler } from "../../../functions/accounts/confirm-login.ts";
import { handler } from "../../../functions/workers/deliver-pin.ts";
import { confirmLogin } from "../../../shared/contract/accounts.ts";
import { findUserIdOfLogin } from "../../../shared/db/accounts/logins.ts";
import { crashAt } from "../../support/faults/crash.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { countAsAsked, newestPin } from "../../support/requests/pins.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";
import { nothingFailed } from "../../support/workers/workers.ts";

const service = useService();
const login = "ines@example.com";
const other = "marsh@example.com";

beforeAll(() =>
  store([
    userLine(10, { email: login }),
    userLine(11, { email: other }),
    userLine(12, { phone_number: "+447400123456" }),
    userLine(13, { phone_number: "+447400123457" }),
  ]),
);
beforeEach(() => service.inbox.clear());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

interface Request {
  requestId?: string;
  requestedAt: string;
  validTo?: string;
  login?: string;
  digits?: number;
  channel?: string;
  registers?: boolean;
}

function deliver(...requests: (Request | string)[]) {
  const records = requests.map((request, index) => ({
    messageId: `message-${index}`,
    body: typeof request === "string" ? request : JSON.stringify(complete(request)),
  }));
  return handler({ Records: records } as SQSEvent);
}

function complete(request: Request) {
  const validTo = new Date(Date.parse(request.requestedAt) + 600_000).toISOString();
  return { login, channel: "email", requestId: request.requestedAt, validTo, digits: 6, registers: false, ...request };
}

function at(time: string): string {
  const moment = `2026-06-01T${time}.000Z`;
  vi.useFakeTimers({ now: new Date(moment), toFake: ["Date"] });
  return moment;
}

/** The SMS that are counted on the day of the clock. */
async function countedSms(): Promise<number> {
  const day = new Date().toISOString().slice(0, 10);
  return Number((await readItem({ pk: `SMS#${day}`, sk: "SMS" }))?.sent ?? 0);
}

async function isRight(pin: string, of = login): Promise<boolean> {
  await countAsAsked(of);
  return (await call(confirmHandler, confirmLogin, { query: { login: of, pin } })).status === 200;
}

describe("D12: a request", () => {
  test("that is older than its pin_valid_to is dropped", async () => {
    const requestedAt = at("08:00:00");
    at("08:10:00");
    expect(await deliver({ requestedAt })).toEqual({ batchItemFailures: [] });
    expect(service.inbox.entries()).toEqual([]);
  });

  test("that is older than the stored pin's neither sends nor replaces it", async () => {
    const older = at("09:00:00");
    const newer = at("09:00:30");
    await deliver({ requestedAt: newer });
    await deliver({ requestedAt: older });
    expect(service.inbox.entries()).toHaveLength(1);
    expect(await isRight(newestPin(service.inbox, login))).toBe(true);
  });

  test("queued several times is sent once, together and one after the other, and its pin counts", async () => {
    const requestedAt = at("10:00:00");
    await deliver({ requestedAt }, { requestedAt }, { requestedAt });
    vi.setSystemTime(Date.parse(requestedAt) + 180_000);
    expect(await deliver({ requestedAt })).toEqual(nothingFailed);
    expect(service.inbox.entries()).toHaveLength(1);
    expect(await isRight(newestPin(service.inbox, login))).toBe(true);
  });

  test("whose worker died while it was sending is sent when it comes again", async () => {
    const requestedAt = at("10:30:00");
    await crashAt(4, "before", () => deliver({ requestedAt }));
    expect(service.inbox.entries()).toEqual([]);
    vi.setSystemTime(Date.parse(requestedAt) + 180_000);
    expect(await deliver({ requestedAt })).toEqual(nothingFailed);
    expect(await isRight(newestPin(service.inbox, login))).toBe(true);
  });

  test("D11: whose SMS fails and is sent when it comes again counts once, as one that is queued twice", async () => {
    const sms = { login: "+447400123456", channel: "sms", requestedAt: at("10:45:00") };
    const before = await countedSms();
    service.endpoints.failNext("Publish", "InternalError");
    expect((await deliver(sms)).batchItemFailures).toHaveLength(1);
    expect(await countedSms()).toBe(before + 1);
    vi.setSystemTime(Date.parse(sms.requestedAt) + 180_000);
    expect(await deliver(sms, sms)).toEqual(nothingFailed);
    expect(service.inbox.entries()).toHaveLength(1);
    expect(await countedSms()).toBe(before + 1);
  });

  test("D11: whose pin is not stored, as a newer one's is, gives its SMS back", async () => {
    const older = at("10:50:00");
    const newer = at("10:50:30");
    const sms = { login: "+447400123457", channel: "sms" };
    await deliver({ ...sms, requestedAt: newer });
    const counted = await countedSms();
    expect(await deliver({ ...sms, requestedAt: older })).toEqual(nothingFailed);
    expect(service.inbox.entries()).toHaveLength(1);
    expect(await countedSms()).toBe(counted);
  });

  test("whose pin is spent is not answered again", async () => {
    const requestedAt = at("11:00:00");
    await deliver({ requestedAt });
    expect(await isRight(newestPin(service.inbox, login))).toBe(true);
    await deliver({ requestedAt });
    expect(service.inbox.entries()).toHaveLength(1);
  });

  test("for an unknown login ends without a message", async () => {
    expect(await deliver({ requestedAt: at("12:00:00"), login: "nobody@example.com" })).toEqual({
      batchItemFailures: [],
    });
    expect(service.inbox.entries()).toEqual([]);
  });
});

describe("D12: a message", () => {
  test.each([1, 5, 7, 11])("that wants a pin of %s digits goes back, as no request asks for it", async (digits) => {
    const outcome = await deliver({ requestedAt: new Date().toISOString(), digits });
    expect(outcome).toEqual({ batchItemFailures: [{ itemIdentifier: "message-0" }] });
    expect(service.inbox.entries()).toEqual([]);
  });

  test("that fails goes back to the queue alone, and is sent when it comes again", async () => {
    const requestedAt = new Date().toISOString();
    service.endpoints.failNext("SendEmail", "MessageRejected");
    const outcome = await deliver({ requestedAt, login: other }, { requestedAt, login: "nobody@example.com" });
    expect(outcome).toEqual({ batchItemFailures: [{ itemIdentifier: "message-0" }] });
    vi.useFakeTimers({ now: Date.parse(requestedAt) + 180_000, toFake: ["Date"] });
    await deliver({ requestedAt, login: other });
    expect(await isRight(newestPin(service.inbox, other), other)).toBe(true);
  });

  test("whose recipient SES refuses for good is taken: no fault, no dead letter", async () => {
    loggedLines.length = 0;
    service.endpoints.failNext("SendEmail", "InvalidParameterValue");
    const requestedAt = new Date().toISOString();
    expect(await deliver({ requestedAt, login: other })).toEqual({ batchItemFailures: [] });
    expect(service.inbox.entries()).toEqual([]);
    expect(loggedLines.join("")).toMatch(/"code":"recipient_refused"/);
    expect(loggedLines.join("")).not.toMatch(/"Faults"|marsh@/);
  });

  test.each([
    "{",
    "{}",
    "null",
    '"ines@example.com"',
    '{"login":"ines@example.com"}',
  ])("that is malformed (%s) goes back, blocks nobody and is not quoted in a log", async (malformed) => {
    loggedLines.length = 0;
    const outcome = await deliver(malformed, { requestedAt: at("14:00:00"), requestId: malformed });
    expect(outcome).toEqual({ batchItemFailures: [{ itemIdentifier: "message-0" }] });
    expect(loggedLines.join("")).not.toContain("ines@");
  });
});

test("D11: a stored user's pin counts as a user's SMS, whoever asked for it: registrations that are spent keep nobody from it", async () => {
  vi.stubEnv("SMS_PER_DAY", "4");
  const phone = "+447400123499";
  await store([userLine(12, { email: null, phone_number: phone })]);
  const asked = { requestedAt: at("16:00:00"), channel: "sms", registers: true };
  await deliver(...[phone, "+447400123498"].map((each) => ({ ...asked, login: each })));
  expect(service.inbox.entries()).toMatchObject([{ channel: "sms", to: phone }]);
});

test("D16: in a table that was filled by import a registration makes no user of a number that another has", async () => {
  const imported = Array.from({ length: 9 }, (_, at) => userLine(1_000_000_000 + at, { email: `r-${at}@example.com` }));
  await store(imported);
  for (const login of ["new-1@example.com", "new-2@example.com"]) {
    await deliver({ requestedAt: new Date().toISOString(), login, registers: true });
    expect(await isRight(newestPin(service.inbox, login), login)).toBe(true);
    expect(await findUserIdOfLogin(login)).toBeGreaterThan(1_000_000_008);
  }
});

test("no pin and no login is logged", async () => {
  loggedLines.length = 0;
  await deliver({ requestedAt: at("15:00:00") });
  const logged = loggedLines.join("");
  expect(logged).toContain("message-0");
  expect(logged).not.toContain(newestPin(service.inbox, login));
  expect(logged).not.toContain(login);
});
