import { createHash } from "node:crypto";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { handler } from "../../../functions/accounts/confirm-login.ts";
import { handler as requestHandler } from "../../../functions/accounts/request-password-reset.ts";
import { confirmLogin, requestPasswordReset } from "../../../shared/contract/accounts.ts";
import { useOwnUser } from "../../support/records/own-user.ts";
import { shownUser, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { askForPin, deliverPins, newestPin, otherPin } from "../../support/requests/pins.ts";
import { forgetThrottles } from "../../support/requests/throttles.ts";
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

function confirm(pin: string, as = login) {
  return call(handler, confirmLogin, { query: { login: as, pin } });
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

  test("D10: the sixth try is refused even when it is right", async () => {
    const pin = await freshPin();
    for (let tries = 0; tries < 5; tries += 1) await confirm(otherPin(pin));
    expect(await confirm(pin)).toMatchObject({ status: 422, body: { code: "pin_invalid" } });
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
  test("outlive its pins: after 10 in an hour the right pin of a new one is refused, and counts again an hour later", async () => {
    vi.useFakeTimers({ now: new Date("2026-07-01T09:00:00.000Z"), toFake: ["Date"] });
    for (const minutes of [0, 5]) {
      vi.setSystemTime(new Date(Date.UTC(2026, 6, 1, 9, minutes)));
      const pin = await freshPin();
      for (let tries = 0; tries < 5; tries += 1) expect((await confirm(otherPin(pin))).body.code).toBe("pin_invalid");
    }
    vi.setSystemTime(new Date("2026-07-01T09:59:59.999Z"));
    const newest = await freshPin();
    expect((await confirm(newest)).body.code).toBe("pin_invalid");
    vi.setSystemTime(new Date("2026-07-01T10:00:00.000Z"));
    expect((await confirm(newest)).status).toBe(200);
  });

  test("are forgotten with the right pin", async () => {
    for (let round = 0; round < 4; round += 1) {
      const pin = await freshPin();
      for (let tries = 0; tries < 4; tries += 1) await confirm(otherPin(pin));
      expect((await confirm(pin)).status).toBe(200);
    }
  });

  test("close its pin flow after 100 in a row: nothing is sent, the answers stay the same, until it is reopened", async () => {
    await freshPin();
    const key = { pk: `LOGIN#${login}`, sk: "PIN" };
    await service.database.send(
      new UpdateCommand({
        TableName: service.tableName,
        Key: key,
        UpdateExpression: "SET streak = :streak",
        ExpressionAttributeValues: { ":streak": 100 },
      }),
    );
    service.inbox.clear();
    await forgetThrottles(service);
    const answer = await call(requestHandler, requestPasswordReset, { body: { user: { login } } });
    await deliverPins();
    expect(answer.status).toBe(200);
    expect(service.inbox.entries()).toEqual([]);
    expect((await confirm("123456")).body.code).toBe("pin_invalid");
    await reopenPinFlow(login);
    expect((await confirm(await freshPin())).status).toBe(200);
  });
});

describe("429", () => {
  test("D10: the 31st try of one address in 5 minutes is too_many_requests, for any login, until a try falls out", async () => {
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
    expect((await tryFrom("2001:db8:0:1::1")).status).toBe(422);
    vi.setSystemTime(new Date("2026-08-01T09:05:00.000Z"));
    expect((await tryFrom("2001:db8::1")).status).toBe(422);
  });
});
