import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { handler as confirmHandler } from "../../../functions/accounts/confirm-login-by-body.ts";
import { handler as requestHandler } from "../../../functions/accounts/request-password-reset.ts";
import { handler } from "../../../functions/accounts/set-password.ts";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import { handler as notify } from "../../../functions/workers/notify.ts";
import { handler as notifyPasswordChanged } from "../../../functions/workers/notify-password-changed.ts";
import { confirmLoginByBody, requestPasswordReset, setPassword } from "../../../shared/contract/accounts.ts";
import { signIn } from "../../../shared/contract/sessions.ts";
import { userKey } from "../../../shared/db/accounts/users.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import { useFaultProxy } from "../../support/faults/fault-proxy.ts";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { shownUser, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { passwordsAt, shutLogin } from "../../support/requests/passwords.ts";
import { deliverPins, newestPin } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { refreshWith } from "../../support/requests/sessions.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";
import { drain, nothingFailed, streamRecord } from "../../support/workers/workers.ts";

const service = useService();
const table = useFaultProxy();
const password = "seven quiet harbours";
const newPassword = "eleven loud lanterns";
let userId: number;
let login: string;
let phone: string;
let notified: Item | undefined;

useSigningKey();
useOwnUser((id, own) => {
  [userId, login, phone] = [id, own, `+4474001${String(id).padStart(5, "0")}`];
  return { phone_number: phone, password };
});
beforeEach(async () => {
  notified = await readItem(userKey(userId));
});

async function resetToken(): Promise<string> {
  await forgetLimits(service);
  await call(requestHandler, requestPasswordReset, { body: { user: { login } } });
  await deliverPins();
  const user = { login, pin: newestPin(service.inbox, login) };
  return (await call(confirmHandler, confirmLoginByBody, { body: { user } })).body.user.reset_password_token;
}

function setTo(token: unknown, typed: unknown = newPassword, confirmation: unknown = typed) {
  const user = { reset_password_token: token, password: typed, password_confirmation: confirmation };
  return call(handler, setPassword, { body: { user } });
}

function signInWith(typed: string) {
  return call(signInHandler, signIn, { body: { user: { login, password: typed } } });
}

/** Has the user notified of what changed since the last time, as stream and queue would; says how many notices there were. */
async function deliverNotices(): Promise<number> {
  const before = notified;
  notified = await readItem(userKey(userId));
  const Records = [streamRecord(userKey(userId), { before, after: notified })];
  expect(await notify({ Records })).toEqual(nothingFailed);
  return (await drain("NOTICE_QUEUE_URL", notifyPasswordChanged)).length;
}

describe("200", () => {
  test("D14: the right token answers the user, and signs nobody in", async () => {
    const { status, body, headers } = await setTo(await resetToken());
    expect(status).toBe(200);
    expect(body).toEqual({
      user: shownUser(userId, { phone_number: phone }),
    });
    expect(headers).not.toHaveProperty("authorization");
    expect(headers["cache-control"]).toBe("no-store");
  });

  test("D14: the old password is dead, and the new one signs in", async () => {
    await setTo(await resetToken());
    expectProblem(await signInWith(password), 401, "login_invalid");
    expect((await signInWith(newPassword)).status).toBe(200);
  });

  test("D14: every session of the user ends, and nobody else's", async () => {
    const other = userLine(userId + 500_000, { password });
    await store([other]);
    const own = [(await signInWith(password)).body.token, (await signInWith(password)).body.token];
    const user = { login: other.email, password };
    const theirs = (await call(signInHandler, signIn, { body: { user } })).body.token;
    await setTo(await resetToken());
    const refresh = ({ refresh_token }: { refresh_token: string }) => refreshWith(refresh_token);
    for (const token of own) expectProblem(await refresh(token), 401, "refresh_token_invalid");
    expect((await refresh(theirs)).status).toBe(200);
    expect((await refresh((await signInWith(newPassword)).body.token)).status).toBe(200);
  });

  test("D14: the user is notified by e-mail and by SMS, with service and time, and no link", async () => {
    at("2026-05-01T09:00:00.000");
    const token = await resetToken();
    service.inbox.clear();
    await setTo(token);
    expect(await deliverNotices()).toBe(1);
    const sent = service.inbox.entries();
    expect(sent.map(({ channel, to }) => `${channel} ${to}`).sort()).toEqual([`email ${login}`, `sms ${phone}`]);
    for (const { text } of sent) {
      expect(text).toContain("Workforce");
      expect(text).toContain("1 May 2026 at 09:00 UTC");
      expect(text).not.toMatch(/https?:/);
    }
  });

  test("D14: the notice of a new password follows from the commit: no queue and no read can take the answer away", async () => {
    const token = await resetToken();
    const queue = process.env.NOTICE_QUEUE_URL;
    onTestFinished(() => void Object.assign(process.env, { NOTICE_QUEUE_URL: queue }));
    process.env.NOTICE_QUEUE_URL = "http://127.0.0.1:9/000000000000/gone";
    table.reset();
    expect((await setTo(token)).status).toBe(200);
    expect([...table.calls.keys()].at(-1)).toBe("TransactWriteItems");
    process.env.NOTICE_QUEUE_URL = queue;
    expect(await deliverNotices()).toBe(1);
  });

  test("D14: a company that cannot be read leaves the password and the token as they are", async () => {
    const token = await resetToken();
    const unavailable = { __type: "com.amazonaws.dynamodb.v20120810#ResourceInUseException", message: "later" };
    table.fail("GetItem", { status: 400, body: unavailable }, 1, 1);
    expect((await setTo(token)).status).toBe(500);
    expect((await signInWith(password)).status).toBe(200);
    expect((await setTo(token)).status).toBe(200);
  });

  test("D14: a token counts until 14:59.999 after its pin was confirmed", async () => {
    at("2026-05-02T09:00:00.000");
    const token = await resetToken();
    at("2026-05-02T09:14:59.999");
    expect((await setTo(token)).status).toBe(200);
  });

  test("D15: a password of 8 or of 128 characters is taken, whatever they are", async () => {
    for (const typed of ["xq7 wv2!", "ß".repeat(128), "🦊".repeat(64)]) {
      expect((await setTo(await resetToken(), typed)).status).toBe(200);
      expect((await signInWith(typed)).status).toBe(200);
    }
  });

  test("D14: an import that changes neither login nor password leaves the token valid", async () => {
    const token = await resetToken();
    await store([userLine(userId, { phone_number: phone, first_name: "Ada", password })]);
    expect((await setTo(token)).status).toBe(200);
  });
});

test("D10, D15: a new password forgives no guesses: its reset token lets its client in", async () => {
  const token = await resetToken();
  await shutLogin(login);
  expect((await setTo(token)).status).toBe(200);
  expect([(await signInWith(newPassword)).status, await passwordsAt(login)]).toEqual([429, 60]);
  const user = { login, password: newPassword };
  const known = await call(signInHandler, signIn, { body: { user }, headers: { "known-client": token } });
  expect(known.status).toBe(200);
});

describe("422", () => {
  async function expectInvalid(token: unknown) {
    expectProblem(await setTo(token), 422, "reset_token_invalid");
  }

  test("D14: a spent token is invalid for another password at once and for its own after a minute, and nobody is notified again", async () => {
    at("2026-05-03T08:00:00.000");
    const token = await resetToken();
    const first = await setTo(token);
    await deliverNotices();
    expectProblem(await setTo(token, "another quiet harbour"), 422, "reset_token_invalid");
    at("2026-05-03T08:00:59.999");
    expect((await setTo(token)).body).toEqual(first.body);
    at("2026-05-03T08:01:00.000");
    await expectInvalid(token);
    expect(await deliverNotices()).toBe(0);
  });

  test("D14: 20 who set one password with one token at once are all answered, and one notice is sent", async () => {
    const token = await resetToken();
    const answers = await Promise.all(Array.from({ length: 20 }, () => setTo(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(await deliverNotices()).toBe(1);
  }, 60_000);

  test("D14: a token is invalid from exactly 15:00.000 on", async () => {
    at("2026-05-03T09:00:00.000");
    const token = await resetToken();
    at("2026-05-03T09:15:00.000");
    await expectInvalid(token);
    expect((await signInWith(password)).status).toBe(200);
  });

  test("D14: a newer confirmation replaces the token, and its own counts", async () => {
    const older = await resetToken();
    const newer = await resetToken();
    await expectInvalid(older);
    expect((await setTo(newer)).status).toBe(200);
  });

  test.each([
    ["the password", { password: "another quiet harbour" }],
    ["the e-mail", { email: "moved" }],
    ["the phone number", { phone_number: null }],
  ])("D14: an import that changes %s voids the token", async (_, changes) => {
    const token = await resetToken();
    const moved = "email" in changes ? { email: `moved-${login}` } : changes;
    await store([userLine(userId, { phone_number: phone, password, ...moved })]);
    await expectInvalid(token);
  });

  test("D35: the token of a removed user is invalid", async () => {
    const token = await resetToken();
    await store([{ type: "user", id: userId, deleted: true }]);
    await expectInvalid(token);
  });

  test("D14: whatever else is sent as a token is invalid", async () => {
    const token = await resetToken();
    const { refresh_token } = (await signInWith(password)).body.token;
    const others = ["x", "r".repeat(43), `${token}A`, token.slice(0, -1), ` ${token}`, refresh_token];
    for (const other of others) await expectInvalid(other);
    expect((await setTo(token)).status).toBe(200);
  });

  test.each([
    ["a confirmation that differs", newPassword, `${newPassword}!`, "password_confirmation", "invalid"],
    ["a confirmation in other letters", newPassword, newPassword.toUpperCase(), "password_confirmation", "invalid"],
    ["a missing confirmation", newPassword, null, "password_confirmation", "wrong_type"],
    ["7 characters", "xq7 wv2", "xq7 wv2", "password", "invalid"],
    ["129 characters", "x".repeat(129), "x".repeat(129), "password", "invalid"],
    ["a password many people use", "password123", "password123", "password", "common"],
    ["it in other letters", "PassWord123", "PassWord123", "password", "common"],
    ["a NUL", "eleven\u0000lanterns", "eleven\u0000lanterns", "password", "invalid"],
    ["a number", 1234567890, "1234567890", "password", "wrong_type"],
  ])("D15: %s: the field is named, and the token is not spent", async (_, typed, confirmation, field, code) => {
    const token = await resetToken();
    const answer = await setTo(token, typed, confirmation);
    expectProblem(answer, 422, "fields_invalid");
    expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer: `/user/${field}`, code }));
    expect((await signInWith(password)).status).toBe(200);
    expect((await setTo(token)).status).toBe(200);
  });
});

test("D14: no password, token or login is logged", async () => {
  loggedLines.length = 0;
  const token = await resetToken();
  await setTo(token, "password123");
  await setTo(token);
  await setTo(token, "another quiet harbour");
  await deliverNotices();
  const logged = loggedLines.join("");
  expect(logged).toContain("reset_token_invalid");
  for (const secret of [token, newPassword, "password123", login, phone]) expect(logged).not.toContain(secret);
});
