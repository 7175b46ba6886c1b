import { PurgeQueueCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as confirmHandler } from "../../../functions/accounts/confirm-login-by-body.ts";
import { handler } from "../../../functions/accounts/request-password-reset.ts";
import { confirmLoginByBody, requestPasswordReset } from "../../../shared/contract/accounts.ts";
import { useFaultProxy } from "../../support/faults/fault-proxy.ts";
import { companyLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { deliverPins } from "../../support/requests/pins.ts";
import { forgetThrottles } from "../../support/requests/throttles.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const proxy = useFaultProxy();
const phone = "+447400123456";

beforeAll(() =>
  store([
    companyLine(1),
    userLine(10, { email: "ines@example.com" }),
    userLine(11, { email: null, phone_number: phone }),
  ]),
);
beforeEach(() => service.inbox.clear());
afterEach(async () => {
  vi.useRealTimers();
  process.env.RECOVERY_DISCLOSURE = "masked";
  await new SQSClient({}).send(new PurgeQueueCommand({ QueueUrl: process.env.PIN_QUEUE_URL }));
});

async function request(login: unknown) {
  await forgetThrottles(service);
  return call(handler, requestPasswordReset, { body: { user: { login } } });
}

async function queuedMessages() {
  const { Messages = [] } = await new SQSClient({}).send(
    new ReceiveMessageCommand({ QueueUrl: process.env.PIN_QUEUE_URL, MaxNumberOfMessages: 10 }),
  );
  return Messages.map(({ Body }) => JSON.parse(Body ?? ""));
}

describe("200", () => {
  test("D8: an e-mail login gets its pin by e-mail, in text and HTML, with service and validity and no link", async () => {
    expect((await request(" Ines@Example.com ")).status).toBe(200);
    await deliverPins();
    const [message, ...others] = service.inbox.entries();
    expect(others).toEqual([]);
    expect(message).toMatchObject({ channel: "email", to: "ines@example.com", subject: "Your Workforce pin" });
    for (const body of [message?.text, message?.html]) {
      expect(body).toMatch(/\b[0-9]{6}\b/);
      expect(body).toContain("Workforce");
      expect(body).toContain("10 minutes");
      expect(body).not.toMatch(/https?:|href|www\./i);
    }
  });

  test("D8: a phone login gets its pin by SMS, in one part", async () => {
    expect((await request("07400 123456")).status).toBe(200);
    await deliverPins();
    const [message] = service.inbox.entries();
    expect(message).toMatchObject({ channel: "sms", to: phone });
    expect(message?.text).toMatch(/^[0-9]{6} is your Workforce pin, valid for 10 minutes\.$/);
  });

  test("D9: pin_valid_to is 10 minutes after the request", async () => {
    vi.useFakeTimers({ now: new Date("2026-05-01T09:00:00.000Z"), toFake: ["Date"] });
    expect((await request("ines@example.com")).body.user.pin_valid_to).toBe("2026-05-01T09:10:00.000Z");
  });

  test("D12: known and unknown logins are answered alike, with nothing but what was sent", async () => {
    const [known, unknown] = [await request("Ines@example.com"), await request("nobody@example.com")];
    for (const [answer, email] of [
      [known, "ines@example.com"],
      [unknown, "nobody@example.com"],
    ] as const) {
      expect(answer.status).toBe(200);
      const { id, pin_valid_to, ...rest } = answer.body.user;
      expect(rest).toEqual({
        company: null,
        contact_phone_number: null,
        email,
        financial_company_id: null,
        first_name: "",
        job_position: null,
        locale: null,
        last_name: "",
        phone_number: null,
        profile_id: null,
        role: "operator",
      });
      expect(Number.isSafeInteger(id) && id > 0).toBe(true);
      expect(id).not.toBe(10);
    }
    expect(Object.keys(known.headers)).toEqual(Object.keys(unknown.headers));
  });

  test("D12: the id shown for a login is stable and differs between logins", async () => {
    const id = async (login: string) => (await request(login)).body.user.id;
    expect(await id("nobody@example.com")).toBe(await id("Nobody@Example.com"));
    expect(await id("nobody@example.com")).not.toBe(await id("somebody@example.com"));
  });

  test("D12: work is queued for known and unknown alike, and an unknown login gets no message", async () => {
    await request("ines@example.com");
    await request("nobody@example.com");
    const messages = await queuedMessages();
    expect(messages.map(({ login }) => login).sort()).toEqual(["ines@example.com", "nobody@example.com"]);
    expect(Object.keys(messages[0])).toEqual(Object.keys(messages[1]));
  });

  test("D12: an unknown login gets no message", async () => {
    await request("nobody@example.com");
    await deliverPins();
    expect(service.inbox.entries()).toEqual([]);
  });

  test("D12: with full disclosure a known login is shown its stored user", async () => {
    process.env.RECOVERY_DISCLOSURE = "full";
    const { status, body } = await request("ines@example.com");
    expect(status).toBe(200);
    expect(body.user).toMatchObject({
      id: 10,
      first_name: "Ines",
      last_name: "Marsh",
      company: { id: 1, name: "Harbour Logistics" },
      pin_valid_to: expect.any(String),
    });
  });

  test("D11, D12: with full disclosure a fault in showing the user costs nobody the pin", async () => {
    proxy.reset();
    await request("ines@example.com");
    const reads = proxy.calls.get("GetItem") ?? 0;
    await queuedMessages();
    process.env.RECOVERY_DISCLOSURE = "full";
    const body = { __type: "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException" };
    proxy.fail("GetItem", { status: 400, body }, 1, reads);
    expect((await request("ines@example.com")).status).toBe(500);
    expect(await queuedMessages()).toMatchObject([{ login: "ines@example.com" }]);
  });

  test("no login and no pin is logged on the way", async () => {
    loggedLines.length = 0;
    await request("ines@example.com");
    await deliverPins();
    const logged = loggedLines.join("");
    const pin = /\b[0-9]{6}\b/.exec(service.inbox.entries()[0]?.text ?? "")?.[0] ?? "none";
    expect(logged).toContain("request-password-reset");
    expect(logged).not.toContain("ines@example.com");
    expect(logged).not.toContain(`"${pin}`);
  });
});

describe("404", () => {
  test("D12: with full disclosure an unknown login is login_not_found, and nothing is sent", async () => {
    process.env.RECOVERY_DISCLOSURE = "full";
    expect(await request("nobody@example.com")).toMatchObject({ status: 404, body: { code: "login_not_found" } });
    await deliverPins();
    expect(service.inbox.entries()).toEqual([]);
  });
});

describe("422", () => {
  test.each([
    ["D7: neither e-mail nor phone", "nobody", "invalid"],
    ["an empty login", "", "too_short"],
    ["a number", 447400123456, "wrong_type"],
    ["a missing login", undefined, "missing"],
    ["a NUL", "a\u0000@example.com", "invalid"],
    ["a lone surrogate", "\ud800@example.com", "invalid"],
    ["321 characters", `${"a".repeat(309)}@example.com`, "too_long"],
  ])("%s is named, and nothing is queued", async (_, login, code) => {
    const answer = await request(login);
    expect(answer).toMatchObject({
      status: 422,
      body: { code: "fields_invalid", errors: [{ pointer: "/user/login", code }] },
    });
    expect(await queuedMessages()).toEqual([]);
  });

  test("D11: a phone number of a country off the allow-list is country_not_served", async () => {
    expect(await request("+33612345678")).toMatchObject({ status: 422, body: { code: "country_not_served" } });
    expect(await queuedMessages()).toEqual([]);
  });

  test.each([
    ["+449098790000", "premium"],
    ["+442079460958", "landline"],
  ])("D7: no pin goes to %s, which is %s: country_not_served, and nothing is queued", async (phone) => {
    expect(await request(phone)).toMatchObject({ status: 422, body: { code: "country_not_served" } });
    expect(await queuedMessages()).toEqual([]);
  });

  test("D7: a pin for a number of unknown kind is queued, as it may be a stored user's", async () => {
    expect((await request("+353990000000")).status).toBe(200);
    expect(await queuedMessages()).toHaveLength(1);
  });
});

test("D11: a laptop's own clients are not limited by address", async () => {
  await forgetThrottles(service);
  const statuses = new Set();
  for (let index = 0; index < 35; index += 1) {
    const user = { login: `laptop-${index}@example.com` };
    statuses.add((await call(handler, requestPasswordReset, { body: { user }, from: "127.0.0.1" })).status);
  }
  expect([...statuses]).toEqual([200]);
});

describe("429", () => {
  const ask = (login: string, from?: string) =>
    call(handler, requestPasswordReset, { body: { user: { login } }, ...(from && { from }) });

  test.each([
    "ines@example.com",
    "nobody@example.com",
  ])("D10, D11: clients that ask for %s within a minute share one pin and its end, known or not", async (login) => {
    await forgetThrottles(service);
    vi.useFakeTimers({ now: new Date("2026-09-01T09:00:00.000Z"), toFake: ["Date"] });
    const first = await ask(login);
    vi.setSystemTime(new Date("2026-09-01T09:00:59.999Z"));
    expect((await ask(login)).body.user).toEqual(first.body.user);
    expect(await queuedMessages()).toHaveLength(1);
    vi.setSystemTime(new Date("2026-09-01T09:01:00.000Z"));
    expect((await ask(login)).body.user.pin_valid_to).toBe("2026-09-01T09:11:00.000Z");
  });

  test.each([
    "ines@example.com",
    "nobody@example.com",
  ])("D11: a pin of %s that is out of its client's tries is replaced at once, twice a minute", async (login) => {
    await forgetThrottles(service);
    vi.useFakeTimers({ now: new Date("2026-09-01T11:00:00.000Z"), toFake: ["Date"] });
    const statuses = [];
    for (let second = 0; second < 4; second += 1) {
      vi.setSystemTime(new Date(`2026-09-01T11:00:0${second}.000Z`));
      const from = `198.51.100.${10 + second}`;
      for (let tries = 0; tries < 5 && second > 0; tries += 1) {
        await call(confirmHandler, confirmLoginByBody, { body: { user: { login, pin: "000000" } }, from });
      }
      statuses.push((await ask(login, from)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  test("D11: one client gets three in 10 minutes, five an hour, ten a day; others then get one every 15 minutes", async () => {
    await forgetThrottles(service);
    const start = Date.parse("2026-09-02T00:00:00.000Z");
    vi.useFakeTimers({ now: start, toFake: ["Date"] });
    const admitted: number[] = [];
    for (let minutes = 0; minutes < 120; minutes += 1) {
      vi.setSystemTime(start + minutes * 60_000);
      if ((await ask("ines@example.com", "198.51.100.9")).status === 200) admitted.push(minutes);
    }
    expect(admitted).toEqual([0, 1, 2, 10, 11, 60, 61, 62, 70, 71]);
    const other = await ask("ines@example.com");
    expect(other.status).toBe(200);
    vi.setSystemTime(start + 130 * 60_000);
    const refused = await ask("ines@example.com");
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "240"]);
  }, 60_000);

  test("D11: one address asks for 30 pins an hour, for whatever logins", async () => {
    await forgetThrottles(service);
    const statuses = [];
    for (let index = 0; index < 31; index += 1)
      statuses.push((await ask(`user-${index}@example.com`, "198.51.100.7")).status);
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 200), 429]);
    expect((await ask("user-99@example.com", "198.51.100.8")).status).toBe(200);
  });
});
