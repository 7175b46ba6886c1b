import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { handler as notify } from "../../../functions/workers/notify.ts";
import { handler as notifyPasswordChanged } from "../../../functions/workers/notify-password-changed.ts";
import { userKey } from "../../../shared/people/users.ts";
import type { Item } from "../../../shared/table/table.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { costOf } from "../../support/records/costs.ts";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { shownUser, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { resetTokenOf, setNewPassword, tryPassword } from "../../support/requests/accounts.ts";
import { passwordsAt, shutLogin } from "../../support/requests/passwords.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { refreshWith, signInAs } from "../../support/requests/sessions.ts";
import { useService } from "../../support/service/service.ts";
import { drain, nothingFailed, streamRecord } from "../../support/workers/workers.ts";

const service = useService();
const table = useNetwork();
const [password, newPassword, another] = ["seven quiet harbours", "eleven loud lanterns", "another quiet harbour"];
const phoneOf = (id: number) => `+4474001${String(id).padStart(5, "0")}`;
let notified: Item | undefined;

useSigningKey();
const own = useOwnUser((id) => ({ phone_number: phoneOf(id), password }));
beforeEach(async () => {
  notified = await readItem(userKey(own.id));
});

const resetToken = () => resetTokenOf(service, own.login);
const setTo = (token: unknown, typed = newPassword) => setNewPassword(token, typed);
const signInWith = (typed: string) => tryPassword(own.login, typed);

/** Has the user notified of what changed since the last time, as stream and queue would; says how many notices there were. */
async function deliverNotices(): Promise<number> {
  const before = notified;
  notified = await readItem(userKey(own.id));
  const Records = [streamRecord(userKey(own.id), { before, after: notified })];
  expect(await notify({ Records })).toEqual(nothingFailed);
  return (await drain("NOTICE_QUEUE_URL", notifyPasswordChanged)).length;
}

describe("200", () => {
  test("D14: the right token answers the user and signs nobody in; the new password alone signs in", async () => {
    const { status, body, headers } = await setTo(await resetToken());
    expect(status).toBe(200);
    expect(body).toEqual({ user: shownUser(own.id, { phone_number: phoneOf(own.id) }) });
    expect(headers).not.toHaveProperty("authorization");
    expect(headers["cache-control"]).toBe("no-store");
    expectProblem(await signInWith(password), 401, "login_invalid");
    expect((await signInWith(newPassword)).status).toBe(200);
  });

  test("D14: a password is set in four round trips", async () => {
    const token = await resetToken();
    expect(await costOf(() => setTo(token))).toMatchObject({ sequentialTrips: 4 });
  });

  test("D14: every session of the user ends, and nobody else's", async () => {
    const other = userLine(own.id + 500_000, { password });
    await store([other]);
    const sessions = [await signInAs(own.login, password), await signInAs(own.login, password)];
    const theirs = await signInAs(other.email, password);
    await setTo(await resetToken());
    for (const { refresh_token } of sessions) {
      expectProblem(await refreshWith(refresh_token), 401, "refresh_token_invalid");
    }
    expect((await refreshWith(theirs.refresh_token)).status).toBe(200);
    expect((await refreshWith((await signInAs(own.login, newPassword)).refresh_token)).status).toBe(200);
  });

  test("D14: the notice follows from the commit: no queue and no read can take the answer away", async () => {
    const token = await resetToken();
    vi.stubEnv("NOTICE_QUEUE_URL", "http://127.0.0.1:9/000000000000/gone");
    onTestFinished(() => void vi.unstubAllEnvs());
    table.reset();
    expect((await setTo(token)).status).toBe(200);
    expect([...table.calls.keys()].at(-1)).toBe("TransactWriteItems");
    vi.unstubAllEnvs();
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

  test("D15: a password of 8 or of 128 characters is taken, whatever they are", async () => {
    for (const typed of ["xq7 wv2!", "ß".repeat(128), "🦊".repeat(64)]) {
      expect((await setTo(await resetToken(), typed)).status).toBe(200);
      expect((await signInWith(typed)).status).toBe(200);
    }
  });

  test("D15: password and confirmation, its repetition, sign-in and imports compare one normal form", async () => {
    const [composed, apart] = ["ein schöner Morgen", "ein scho\u0308ner Morgen"];
    const token = await resetToken();
    expect((await setNewPassword(token, composed, { password_confirmation: apart })).status).toBe(200);
    const again = await setNewPassword(token, apart, { password_confirmation: "ein schöner\u00a0Morgen" });
    expect(again.status).toBe(200);
    expect(await deliverNotices()).toBe(1);
    expect([(await signInWith(apart)).status, (await signInWith(composed)).status]).toEqual([200, 200]);
    const { refresh_token } = await signInAs(own.login, composed);
    await store([{ type: "user", id: own.id, password: apart }]);
    expect((await refreshWith(refresh_token)).status).toBe(200);
  });

  test("D15: the longest password is taken with its letters decomposed, and signs in", async () => {
    const typed = "ế".repeat(128).normalize("NFD");
    expect((await setTo(await resetToken(), typed)).status).toBe(200);
    expect((await signInWith("ế".repeat(128))).status).toBe(200);
    expect((await signInWith(typed)).status).toBe(200);
  });

  test("D14: an import that changes neither login nor password leaves the token valid", async () => {
    const token = await resetToken();
    await store([userLine(own.id, { phone_number: phoneOf(own.id), first_name: "Ada", password })]);
    expect((await setTo(token)).status).toBe(200);
  });

  test("D14: 20 who set one password with one token at once are all answered, and one notice is sent", async () => {
    const token = await resetToken();
    const answers = await Promise.all(Array.from({ length: 20 }, () => setTo(token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(await deliverNotices()).toBe(1);
  }, 60_000);
});

test("D10, D15: a new password forgives no guesses: its reset token lets its client in", async () => {
  const token = await resetToken();
  await shutLogin(own.login);
  expect((await setTo(token)).status).toBe(200);
  expect([(await signInWith(newPassword)).status, await passwordsAt(own.login)]).toEqual([429, 60]);
  expect((await tryPassword(own.login, newPassword, { proof: token })).status).toBe(200);
});

describe("422", () => {
  async function expectInvalid(token: unknown, typed = newPassword) {
    expectProblem(await setTo(token, typed), 422, "reset_token_invalid");
  }

  test("D14: a spent token is invalid for another password at once and for its own after a minute, and nobody is notified again", async () => {
    at("2026-05-03T08:00:00.000");
    const token = await resetToken();
    const first = await setTo(token);
    await deliverNotices();
    await expectInvalid(token, another);
    at("2026-05-03T08:00:59.999");
    expect((await setTo(token)).body).toEqual(first.body);
    at("2026-05-03T08:01:00.000");
    await expectInvalid(token);
    expect(await deliverNotices()).toBe(0);
  });

  test("D14: a token counts until 14:59.999 after its pin was confirmed, and a newer one replaces it", async () => {
    at("2026-05-03T09:00:00.000");
    const [older, token] = [await resetToken(), await resetToken()];
    await expectInvalid(older);
    at("2026-05-03T09:15:00.000");
    await expectInvalid(token);
    expect((await signInWith(password)).status).toBe(200);
    at("2026-05-03T09:14:59.999");
    expect((await setTo(token)).status).toBe(200);
  });

  test.each([
    ["a changed password", () => ({ password: another })],
    ["a changed e-mail", () => ({ email: `moved-${own.login}` })],
    ["a phone number less", () => ({ phone_number: null })],
    ["a removal (D35)", () => ({ deleted: true })],
  ])("D14: an import of %s voids the token", async (_, changes) => {
    const token = await resetToken();
    const { deleted } = changes() as { deleted?: true };
    const line = userLine(own.id, { phone_number: phoneOf(own.id), password, ...changes() });
    await store([deleted ? { type: "user", id: own.id, deleted } : line]);
    await expectInvalid(token);
  });

  test("D14: whatever else is sent as a token is invalid", async () => {
    const token = await resetToken();
    const { access_token, refresh_token } = await signInAs(own.login, password);
    for (const other of ["r".repeat(43), ` ${token}`, refresh_token, access_token]) await expectInvalid(other);
    expectProblem(await refreshWith(token), 401, "refresh_token_invalid");
    expect((await setTo(token)).status).toBe(200);
  });

  test.each([
    "seven quiet harbour",
    "Seven quiet harbours",
    " seven quiet harbours",
    "",
  ])("D15: a confirmation that is another password is named: %j", async (password_confirmation) => {
    const answer = await setNewPassword(await resetToken(), password, { password_confirmation });
    expectProblem(answer, 422, "fields_invalid");
    expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toContain(
      "/user/password_confirmation",
    );
  });

  test("D15: a password that many people use is named, and the token is not spent", async () => {
    const token = await resetToken();
    const answer = await setTo(token, "PassWord123");
    expectProblem(answer, 422, "fields_invalid");
    expect(answer.body.errors).toMatchObject([{ pointer: "/user/password", code: "common" }]);
    expect((await signInWith(password)).status).toBe(200);
    expect((await setTo(token)).status).toBe(200);
  });
});
