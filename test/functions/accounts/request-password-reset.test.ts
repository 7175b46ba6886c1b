import { PurgeQueueCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler } from "../../../functions/accounts/request-password-reset.ts";
import { requestPasswordReset } from "../../../shared/contract/accounts.ts";
import { saveDeviceToken } from "../../../shared/db/notifications/device-tokens.ts";
import { useFaultProxy } from "../../support/faults/fault-proxy.ts";
import { companyLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { changePin, deliverPins, forgetPinsOf, storedPin } from "../../support/requests/pins.ts";
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
  await forgetLimits(service);
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
      expect(body).toContain("12 minutes");
      expect(body).not.toMatch(/https?:|href|www\./i);
    }
  });

  test("D8: a phone login gets its pin by SMS, in one part", async () => {
    expect((await request("07400 123456")).status).toBe(200);
    await deliverPins();
    const [message] = service.inbox.entries();
    expect(message).toMatchObject({ channel: "sms", to: phone });
    expect(message?.text).toMatch(/^[0-9]{6} is your Workforce pin, valid for 12 minutes\.$/);
  });

  test("D9: pin_valid_to is 12 minutes after the request", async () => {
    vi.useFakeTimers({ now: new Date("2026-05-01T09:00:00.000Z"), toFake: ["Date"] });
    expect((await request("ines@example.com")).body.user.pin_valid_to).toBe("2026-05-01T09:12:00.000Z");
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

describe("D9, D11: a request while a pin is live", () => {
  const ask = (login: string, from?: string) =>
    call(handler, requestPasswordReset, { body: { user: { login } }, ...(from && { from }) });
  const sentTo = async (login: string) => {
    await deliverPins();
    return service.inbox.entries().flatMap(({ to, text }) => (to === login ? [text] : []));
  };

  test.each([
    "ines@example.com",
    "nobody@example.com",
  ])("for %s has its end, and its digits sent three times at most, a minute apart", async (login) => {
    await forgetLimits(service);
    const start = Date.parse("2026-09-01T09:00:00.000Z");
    const messages = [];
    for (const seconds of [0, 1, 59, 60, 61, 119, 120, 180, 719]) {
      vi.useFakeTimers({ now: start + seconds * 1_000, toFake: ["Date"] });
      const answer = await ask(login);
      expect([answer.status, answer.body.user.pin_valid_to]).toEqual([200, "2026-09-01T09:12:00.000Z"]);
      messages.push((await sentTo(login)).length);
    }
    const isKnown = login.startsWith("ines");
    expect(messages).toEqual(isKnown ? [1, 1, 1, 2, 2, 2, 3, 3, 3] : messages.map(() => 0));
    expect(new Set(await sentTo(login)).size).toBe(isKnown ? 1 : 0);
    vi.setSystemTime(start + 720_000);
    expect((await ask(login)).body.user.pin_valid_to).toBe("2026-09-01T09:24:00.000Z");
  });

  test("is refused to nobody, however many asked from that address, and of ten messages a day on each pin is sent once", async () => {
    await forgetLimits(service);
    const start = Date.parse("2026-09-02T00:00:00.000Z");
    const sentAt: number[] = [];
    for (let minutes = 0; minutes < 75; minutes += 1) {
      vi.useFakeTimers({ now: start + minutes * 60_000, toFake: ["Date"] });
      service.inbox.clear();
      expect((await ask("ines@example.com", "198.51.100.9")).status).toBe(200);
      if ((await sentTo("ines@example.com")).length > 0) sentAt.push(minutes);
    }
    expect(sentAt).toEqual([0, 1, 2, 12, 13, 14, 24, 25, 26, 36, 48, 60, 72]);
  }, 60_000);

  test("of 200 logins from one address is sent for each", async () => {
    await forgetLimits(service);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => ask(`many-${index}@example.com`, "198.51.100.7")),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  }, 60_000);

  test("of a new day has the figures of a pin that lives past midnight start again with the next", async () => {
    await forgetLimits(service);
    const [login, pin] = ["ines@example.com", { messages: 10, tries: 19 }];
    vi.useFakeTimers({ now: new Date("2026-09-03T23:55:00.000Z"), toFake: ["Date"] });
    await ask(login);
    await changePin(login, pin);
    vi.setSystemTime(new Date("2026-09-04T00:06:59.999Z"));
    expect((await ask(login)).body.user.pin_valid_to).toBe("2026-09-04T00:07:00.000Z");
    expect(await storedPin(login)).toMatchObject({ ...pin, day: "2026-09-03" });
    vi.setSystemTime(new Date("2026-09-04T00:07:00.000Z"));
    await ask(login);
    expect(await storedPin(login)).toMatchObject({ day: "2026-09-04", messages: 1, tries: 0, digits: 6 });
  });

  test("of the same day keeps them: after 20 tries its next pin has twelve digits in groups", async () => {
    await forgetLimits(service);
    const login = "ines@example.com";
    vi.useFakeTimers({ now: new Date("2026-09-05T09:00:00.000Z"), toFake: ["Date"] });
    await ask(login);
    await changePin(login, { tries: 20 });
    await ask(login);
    expect(await storedPin(login)).toMatchObject({ messages: 2, tries: 20, digits: 12 });
    expect((await sentTo(login))[0]).toMatch(/\b\d{4} \d{4} \d{4}\b/);
  });

  test("by a client with a proof counts as the login's first message of the day, by one with a foreign proof does not", async () => {
    await forgetLimits(service);
    await saveDeviceToken(10, { token: "device-10", platform: "ios", pushService: "apns" }, 10);
    const request = (proof: string) =>
      call(handler, requestPasswordReset, {
        body: { user: { login: "ines@example.com" } },
        headers: { "known-client": proof },
      });
    for (const [proof, isKnown] of [
      ["device-10", true],
      ["device-11", false],
      ["x".repeat(9_000), false],
    ] as const) {
      await forgetPinsOf("ines@example.com");
      expect((await request(proof)).status).toBe(200);
      expect(await queuedMessages()).toMatchObject([{ isKnown }]);
    }
  });
});
