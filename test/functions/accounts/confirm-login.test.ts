import { createHash } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { handler } from "../../../functions/accounts/confirm-login.ts";
import { handler as requestHandler } from "../../../functions/accounts/request-password-reset.ts";
import { handler as setPasswordHandler } from "../../../functions/accounts/set-password.ts";
import { confirmLogin, requestPasswordReset, setPassword } from "../../../shared/contract/accounts.ts";
import { saveDeviceToken } from "../../../shared/db/notifications/device-tokens.ts";
import { useOwnUser } from "../../support/records/own-user.ts";
import { shownUser, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { closePinFlow } from "../../support/requests/guesses.ts";
import { askForPin, deliverPins, newestPin, otherPin } from "../../support/requests/pins.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const phone = "+447400123456";
let userId: number;
let login: string;

useOwnUser((id, own) => {
  [userId, login] = [id, own];
  return {};
});
beforeAll(() => store([userLine(11, { email: null, phone_number: phone })]));

function freshPin(to = login): Promise<string> {
  return askForPin(service, to);
}

function confirm(pin: string, as = login, from?: string) {
  return call(handler, confirmLogin, { query: { login: as, pin }, ...(from && { from }) });
}

async function read(pk: string, sk: string) {
  const key = { pk, sk };
  return (await service.database.send(new GetCommand({ TableName: service.tableName, Key: key }))).Item;
}

describe("200", () => {
  test("D13: the right pin answers the stored user with a reset token, uncached and without a referrer", async () => {
    const answer = await confirm(await freshPin());
    expect(answer.status).toBe(200);
    expect(answer.body.user).toEqual(shownUser(userId, { reset_password_token: expect.stringMatching(/^[\w-]{43}$/) }));
    expect(answer.headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
  });

  test("D14: the reset token is kept as its SHA-256, for 15 minutes, and replaces the user's earlier one", async () => {
    vi.useFakeTimers({ now: new Date("2026-05-01T09:00:00.000Z"), toFake: ["Date"] });
    const token = (await confirm(await freshPin())).body.user.reset_password_token;
    const hash = createHash("sha256").update(token).digest("base64url");
    expect(await read(`RESET#${hash}`, "RESET")).toMatchObject({
      user_id: userId,
      valid_to: "2026-05-01T09:15:00.000Z",
    });
    expect((await read(`USER#${userId}`, "USER"))?.reset_hash).toBe(hash);
  });

  test("D13: the login is marked confirmed", async () => {
    await confirm(await freshPin());
    expect((await read(`LOGIN#${login}`, "LOGIN"))?.confirmed_at).toMatch(/Z$/);
  });

  test.each([phone, phone.replace("+", " "), "07400 123456"])("D7: the phone login may be sent as %j", async (form) => {
    expect((await confirm(await freshPin(phone), form)).body.user).toMatchObject({ id: 11, phone_number: phone });
  });

  test("D10: the fifth try may still be right", async () => {
    const pin = await freshPin();
    for (let tries = 0; tries < 4; tries += 1) expect((await confirm(otherPin(pin))).status).toBe(422);
    expect((await confirm(pin)).status).toBe(200);
  });

  test("D9: a pin counts until 10 minutes after its request, and a newer one replaces it", async () => {
    vi.useFakeTimers({ now: new Date("2026-05-02T09:00:00.000Z"), toFake: ["Date"] });
    const older = await freshPin();
    vi.setSystemTime(new Date("2026-05-02T09:01:00.000Z"));
    const newer = await freshPin();
    if (older !== newer) expect((await confirm(older)).body.code).toBe("pin_invalid");
    vi.setSystemTime(new Date("2026-05-02T09:10:59.999Z"));
    expect((await confirm(newer)).status).toBe(200);
  });
});

describe("422", () => {
  test("D13: wrong, spent, expired, exhausted and unknown are one answer", async () => {
    const answers = [];
    const pin = await freshPin();
    answers.push(await confirm(otherPin(pin)));
    await confirm(pin);
    answers.push(await confirm(pin));
    answers.push(await confirm("000000", "nobody@example.com"));
    vi.useFakeTimers({ now: new Date("2026-05-03T09:00:00.000Z"), toFake: ["Date"] });
    const expiring = await freshPin();
    vi.setSystemTime(new Date("2026-05-03T09:10:00.000Z"));
    answers.push(await confirm(expiring));
    const exhausted = await freshPin();
    for (let tries = 0; tries < 5; tries += 1) await confirm(otherPin(exhausted));
    answers.push(await confirm(exhausted));
    for (const { status, body } of answers) {
      expect({ status, ...body, request_id: "" }).toEqual({ ...answers[0]?.body, status: 422, request_id: "" });
      expect(body.code).toBe("pin_invalid");
    }
  });

  test("D10: the sixth try of a client is refused even when it is right, and no other client's is", async () => {
    const pin = await freshPin();
    const [guesser, owner] = ["198.51.100.60", "198.51.100.61"];
    for (let tries = 0; tries < 5; tries += 1) await confirm(otherPin(pin), login, guesser);
    expect(await confirm(pin, login, guesser)).toMatchObject({ status: 422, body: { code: "pin_invalid" } });
    expect((await confirm(pin, login, owner)).status).toBe(200);
  });

  test("D7: a plus sign of an e-mail login that was not escaped is one", async () => {
    await store([userLine(12, { email: "ann+work@example.com" })]);
    expect((await confirm(await freshPin("ann+work@example.com"), "ann work@example.com")).status).toBe(200);
  });

  test("D9: another login's pin does not fit", async () => {
    const [pin] = [await freshPin(), await freshPin(phone)];
    const answer = await confirm(pin, phone);
    expect(answer.status === 422 || pin === newestPin(service.inbox, phone)).toBe(true);
  });

  test.each([
    [{ login: "a@example.com" }, "pin", "missing"],
    [{ login: "a@example.com", pin: "12345" }, "pin", "invalid"],
    [{ login: "a@example.com", pin: "1234567" }, "pin", "invalid"],
    [{ login: "a@example.com", pin: "12345x" }, "pin", "invalid"],
    [{ login: "a@example.com", pin: "１２３４５６" }, "pin", "invalid"],
    [{ pin: "123456" }, "login", "missing"],
    [{ login: "nobody", pin: "123456" }, "login", "invalid"],
    [{ login: "\u0000@example.com", pin: "123456" }, "login", "invalid"],
    [{ login: "\ud800@example.com", pin: "123456" }, "login", "invalid"],
  ])("%j names the parameter and spends no try", async (query, parameter, code) => {
    const answer = await call(handler, confirmLogin, { query });
    expect(answer).toMatchObject({ status: 422, body: { code: "fields_invalid", errors: [{ parameter, code }] } });
  });
});

test("D13: no pin, reset token, login or query string is logged", async () => {
  loggedLines.length = 0;
  const pin = await freshPin();
  await confirm(otherPin(pin));
  const { reset_password_token: token } = (await confirm(pin)).body.user;
  const logged = loggedLines.join("");
  for (const secret of [login, token, `pin=`, `"${pin}"`, encodeURIComponent(login)])
    expect(logged).not.toContain(secret);
  expect(logged).toContain("pin_invalid");
});

describe("D10: the failures of a login", () => {
  test("outlive its pins: after 10 in an hour by strangers its next pins have ten digits, which nobody shuts, until the hour is over", async () => {
    vi.useFakeTimers({ now: new Date("2026-07-01T09:00:00.000Z"), toFake: ["Date"] });
    const pin = await freshPin();
    for (let tries = 0; tries < 10; tries += 1) expect((await confirm(otherPin(pin))).body.code).toBe("pin_invalid");
    expect((await confirm(pin)).body.code).toBe("pin_invalid");
    vi.setSystemTime(new Date("2026-07-01T09:00:10.000Z"));
    const long = await askAgain();
    expect(long).toMatch(/^[0-9]{10}$/);
    for (let tries = 0; tries < 12; tries += 1) expect((await confirm("0123456789")).status).toBe(422);
    expect((await confirm(long)).status).toBe(200);
  });

  test("and of a client at a pin of ten digits are five, as at any other", async () => {
    await freshPin();
    await closePinFlow(login);
    const [long, from] = [await askAgain(), "198.51.100.70"];
    for (let tries = 0; tries < 5; tries += 1) expect((await confirm(otherPin(long), login, from)).status).toBe(422);
    expect((await confirm(long, login, from)).status).toBe(422);
    expect((await confirm(long)).status).toBe(200);
  });

  test("are forgotten with the right pin", async () => {
    for (let round = 0; round < 4; round += 1) {
      const pin = await freshPin();
      for (let tries = 0; tries < 4; tries += 1) await confirm(otherPin(pin));
      expect((await confirm(pin)).status).toBe(200);
    }
  });

  test("100 in a row give it pins of ten digits, until the right one, and the answers stay the same", async () => {
    await freshPin();
    await closePinFlow(login);
    const long = await askAgain();
    expect(long).toMatch(/^[0-9]{10}$/);
    expect((await confirm(long)).status).toBe(200);
    expect(await freshPin()).toMatch(/^[0-9]{6}$/);
  });

  test("outside of them stands a client that proves an earlier session: it tries the pin that strangers have shut", async () => {
    const pin = await freshPin();
    for (let tries = 0; tries < 10; tries += 1) await confirm(otherPin(pin));
    await saveDeviceToken(userId, { token: `device-${userId}`, platform: "ios", pushService: "apns" }, userId);
    const sent = { query: { login, pin } };
    expect((await call(handler, confirmLogin, { ...sent, headers: { "known-client": "device-0" } })).status).toBe(422);
    const known = { "known-client": `device-${userId}` };
    expect((await call(handler, confirmLogin, { ...sent, headers: known })).status).toBe(200);
  });

  test("a client that proves an earlier session tries its pin, and again, from an address whose guesses are spent by a stranger", async () => {
    const pin = await freshPin();
    await saveDeviceToken(userId, { token: `device-${userId}`, platform: "ios", pushService: "apns" }, userId);
    const from = `2001:db8:2:${userId}::1`;
    for (let tries = 0; tries < 30; tries += 1) await confirm("123456", `x-${tries}-${login}`, from);
    expect((await confirm(pin, login, from)).status).toBe(429);
    const headers = { "known-client": `device-${userId}` };
    const first = await tryKnown();
    expect(first.status).toBe(200);
    // The success gave one login back, which the stranger takes.
    await confirm("123456", `x-30-${login}`, from);
    expect(await tryKnown()).toMatchObject({ status: 200, body: first.body });

    function tryKnown() {
      return call(handler, confirmLogin, { query: { login, pin }, headers, from });
    }
  });

  /** Asks for another pin, without forgetting what was counted. */
  async function askAgain(): Promise<string> {
    service.inbox.clear();
    expect((await call(requestHandler, requestPasswordReset, { body: { user: { login } } })).status).toBe(200);
    await deliverPins();
    return newestPin(service.inbox, login);
  }
});

describe("D13: the right pin", () => {
  const [own, other] = ["198.51.100.80", "198.51.100.81"];

  test("again from the same client within a minute is answered with the same reset token; from another it is spent", async () => {
    vi.useFakeTimers({ now: new Date("2026-07-02T09:00:00.000Z"), toFake: ["Date"] });
    const pin = await freshPin();
    const first = await confirm(pin, login, own);
    vi.setSystemTime(new Date("2026-07-02T09:00:59.999Z"));
    expect((await confirm(pin, login, own)).body).toEqual(first.body);
    expect((await confirm(otherPin(pin), login, own)).status).toBe(422);
    expect((await confirm(pin, login, other)).status).toBe(422);
    vi.setSystemTime(new Date("2026-07-02T09:01:00.000Z"));
    expect((await confirm(pin, login, own)).status).toBe(422);
  });

  test("of 20 at once from one client is answered with one reset token", async () => {
    const pin = await freshPin();
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(pin, login, own)));
    const tokens = answers.flatMap(({ status, body }) => (status === 200 ? [body.user.reset_password_token] : []));
    expect(tokens.length).toBeGreaterThan(0);
    expect(new Set(tokens).size).toBe(1);
  });

  test("whose reset token is spent is spent", async () => {
    const pin = await freshPin();
    const { reset_password_token } = (await confirm(pin, login, own)).body.user;
    const user = {
      reset_password_token,
      password: "nine quiet harbours",
      password_confirmation: "nine quiet harbours",
    };
    expect((await call(setPasswordHandler, setPassword, { body: { user } })).status).toBe(200);
    expect((await confirm(pin, login, own)).status).toBe(422);
  });
});

describe("429", () => {
  test("D10: the 31st login that one address fails at in 5 minutes is too_many_requests, until one falls out; tries at one login are one", async () => {
    vi.useFakeTimers({ now: new Date("2026-08-01T09:00:00.000Z"), toFake: ["Date"] });
    const tryFrom = (from: string) =>
      call(handler, confirmLogin, { query: { login: `${crypto.randomUUID()}@example.com`, pin: "123456" }, from });
    for (let tries = 0; tries < 30; tries += 1)
      expect((await tryFrom(`2001:db8::${tries.toString(16)}`)).status).toBe(422);
    vi.setSystemTime(new Date("2026-08-01T09:04:59.999Z"));
    const refused = await tryFrom("2001:db8::ffff");
    expect(refused).toMatchObject({
      status: 429,
      body: { code: "too_many_requests" },
      headers: { "retry-after": "60" },
    });
    expect((await tryFrom("2001:db8:0:100::1")).status).toBe(422);
    const site = (login: string) => call(handler, confirmLogin, { query: { login, pin: "123456" }, from: "192.0.2.3" });
    for (let tries = 0; tries < 40; tries += 1) expect((await site(`one-${userId}@example.com`)).status).toBe(422);
    vi.setSystemTime(new Date("2026-08-01T09:05:00.000Z"));
    expect((await tryFrom("2001:db8::1")).status).toBe(422);
  });
});
