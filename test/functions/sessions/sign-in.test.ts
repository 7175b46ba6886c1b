import { decodeJwt, decodeProtectedHeader } from "jose";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { handler as getProfileHandler } from "../../../functions/accounts/get-profile.ts";
import { handler } from "../../../functions/sessions/sign-in.ts";
import { handler as signOutHandler } from "../../../functions/sessions/sign-out.ts";
import { countPassword } from "../../../shared/accounts/password-guesses.ts";
import { subjectOf } from "../../../shared/accounts/subjects.ts";
import { sleep } from "../../../shared/backoff.ts";
import { getProfile } from "../../../shared/contract/accounts.ts";
import { signIn, signOut } from "../../../shared/contract/sessions.ts";
import { putResetToken } from "../../../shared/db/accounts/reset-tokens.ts";
import { giveBack, take } from "../../../shared/db/accounts/windows.ts";
import { saveDeviceToken } from "../../../shared/db/notifications/device-tokens.ts";
import { updateIf } from "../../../shared/db/table/conditional-writes.ts";
import { tableClient } from "../../../shared/db/table/table.ts";
import { transact } from "../../../shared/db/table/transaction.ts";
import { clientOf } from "../../../shared/domain/accounts/client-address.ts";
import { hashToken } from "../../../shared/domain/token-hash.ts";
import { useLossyNetwork } from "../../support/faults/lossy-network.ts";
import { costOf } from "../../support/records/costs.ts";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { shownUser, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { setNewPassword, tryPin } from "../../support/requests/accounts.ts";
import { call } from "../../support/requests/call.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { failPasswords, failuresOf, passwordsAt, shutLogin } from "../../support/requests/passwords.ts";
import { askForPin } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { refreshWith } from "../../support/requests/sessions.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const network = useLossyNetwork();
const password = "seven quiet harbours";
let userId: number;
let login: string;

useSigningKey();
useOwnUser((id, own) => {
  [userId, login] = [id, own];
  return { password };
});

function signInAs(as: string, typed = password, from?: string) {
  return call(handler, signIn, { body: { user: { login: as, password: typed } }, ...(from && { from }) });
}

/** Has a client fail at many logins, without a write for each. */
async function failEverywhere(address: string, times: number) {
  const failures = { rule: "failures", subject: await subjectOf("failures", clientOf(address)) } as const;
  const { key } = await take(failures, new Date());
  await updateIf(key, { set: { n: times } });
}

/** Has each round trip to the table take so long. */
function slowTable(tripMs: number) {
  const name = "slow table";
  tableClient().middlewareStack.add(
    (next) => async (args) => {
      await sleep(tripMs);
      return next(args);
    },
    { step: "initialize", name },
  );
  return { tripMs, end: () => void tableClient().middlewareStack.remove(name) };
}

/** Undefined for a password that is not compared. */
function refused(error: unknown): undefined {
  expect(error).toMatchObject({ code: "too_many_requests" });
}

describe("200", () => {
  test("D5: the answer is the user with a token, in the body and as a bearer header, uncached", async () => {
    const { status, body, headers } = await signInAs(login);
    expect(status).toBe(200);
    expect(body).toEqual({
      user: shownUser(userId),
      token: {
        access_token: expect.any(String),
        token_type: "Bearer",
        expires_in: 900,
        refresh_token: expect.stringMatching(/^[\w.-]{1,200}$/),
      },
    });
    expect(headers).toMatchObject({
      authorization: `Bearer ${body.token.access_token}`,
      "cache-control": "no-store",
    });
  });

  test("D4: the access token carries what callers are known by, for 15 minutes", async () => {
    at("2026-05-01T09:00:00.000");
    const { access_token } = (await signInAs(login)).body.token;
    expect(decodeProtectedHeader(access_token)).toEqual({ alg: "ES256", typ: "at+jwt", kid: expect.any(String) });
    const issuedAt = Date.parse("2026-05-01T09:00:00.000Z") / 1000;
    expect(decodeJwt(access_token)).toEqual({
      iss: "workforce-test",
      aud: "workforce-api",
      sub: String(userId),
      role: "operator",
      company: 1,
      sid: expect.stringMatching(/^[\w-]{22}$/),
      iat: issuedAt,
      exp: issuedAt + 900,
      jti: expect.any(String),
    });
  });

  test("D5: the access token is accepted by the other operations", async () => {
    const { authorization = "" } = (await signInAs(login)).headers;
    const profile = await call(getProfileHandler, getProfile, { headers: { authorization } });
    expect(profile).toMatchObject({ status: 200, body: { user: { id: userId } } });
  });

  test.each([
    ["+447400123456", "07400 123456"],
    ["ada@example.com", " Ada@Example.COM "],
  ])("D7: the login %s may be typed as %j", async (stored, typed) => {
    const field = stored.includes("@") ? { email: stored } : { email: null, phone_number: stored };
    await store([userLine(userId, { ...field, password })]);
    expect((await signInAs(typed)).body.user).toMatchObject({ id: userId });
  });

  test("D15: a user may sign in with any of their logins, and with letters composed otherwise", async () => {
    await store([userLine(userId, { phone_number: "+447400123999", password: "café au lait" })]);
    for (const own of [login, "+447400123999"]) {
      expect((await signInAs(own, "cafe\u0301 au lait")).status).toBe(200);
    }
  });

  test("D5: every sign-in is a session of its own", async () => {
    const [one, other] = [(await signInAs(login)).body.token, (await signInAs(login)).body.token];
    expect(decodeJwt(one.access_token).sid).not.toBe(decodeJwt(other.access_token).sid);
    expect(one.refresh_token).not.toBe(other.refresh_token);
  });

  test("D15: a right password takes back its own count, and nobody else's", async () => {
    const from = "198.51.100.9";
    await failPasswords(login, 7, from);
    for (let index = 0; index < 3; index += 1) expect((await signInAs(login, password, from)).status).toBe(200);
    expect([await passwordsAt(login), await failuresOf(from)]).toEqual([7, 7]);
  });

  test("D15: an owner who signs in every 15 minutes gives a stranger behind the same address no password more", async () => {
    const from = "198.51.100.10";
    const start = Date.parse("2026-05-07T00:00:00.000Z");
    let compared = 0;
    for (let quarter = 0; quarter < 32; quarter += 1) {
      vi.useFakeTimers({ now: start + quarter * 15 * 60_000, toFake: ["Date"] });
      const owner = await countPassword({ login, address: from, proof: undefined }, new Date()).catch(refused);
      if (owner) await giveBack(owner.taken);
      for (let index = 0; index < 3; index += 1) {
        const stranger = await countPassword({ login, address: from, proof: undefined }, new Date()).catch(refused);
        if (stranger) compared += 1;
      }
    }
    expect(compared).toBe(20);
  }, 60_000);

  test("D15: 25 right passwords at once, each from an address of its own, are all answered and leave nothing counted", async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, () => signInAs(login)));
    expect(answers.map(({ status }) => status)).toEqual(Array(25).fill(200));
    expect(await passwordsAt(login)).toBe(0);
  }, 60_000);

  test("D10, D15: a client with a proof signs in where strangers used everything up, at its login and its address", async () => {
    const [owner, from] = [(await signInAs(login)).body.token, "198.51.100.11"];
    const device = `device-${userId}`;
    await saveDeviceToken(userId, { token: device, platform: "ios", pushService: "apns" }, userId);
    const confirmed = await confirmedNow();
    await shutLogin(login);
    await failEverywhere(from, 2_000);
    const unknown = await signInAs(login, password, from);
    expect(unknown).toMatchObject({ status: 429, body: { detail: expect.stringContaining("a pin lets you in") } });
    for (const proof of [owner.refresh_token, device, confirmed]) {
      expect((await signInWith(proof, "wrong", from)).status).toBe(401);
      expect((await signInWith(proof, password, from)).status).toBe(200);
    }
    expect(await passwordsAt(login)).toBe(60);
  });

  test("D15: a proof has ten wrong passwords a day; then its client counts as one without", async () => {
    const { refresh_token } = (await signInAs(login)).body.token;
    const device = `device-${userId}`;
    const wrong = (proof: string) => signInWith(proof, "wrong", "198.51.100.12");
    for (let index = 0; index < 10; index += 1) expect((await wrong(refresh_token)).status).toBe(401);
    expect([await passwordsAt(login), await failuresOf("198.51.100.12")]).toEqual([0, 0]);
    expect((await wrong(refresh_token)).status).toBe(401);
    expect([await passwordsAt(login), await failuresOf("198.51.100.12")]).toEqual([1, 1]);
    // A device of the same session gives no passwords more.
    const family = String(refresh_token.split(".")[1]);
    await saveDeviceToken(userId, { token: device, platform: "ios", pushService: "apns", family }, userId);
    await wrong(device);
    expect(await passwordsAt(login)).toBe(2);
  });

  test("D10: a reset token is a proof for an hour, spent or not, for its own user alone", async () => {
    at("2026-05-06T09:00:00.000");
    const [token, other] = [await confirmedNow(), await otherLogin()];
    const foreign = await confirmedNow(other);
    await shutLogin(login);
    expect((await signInWith(foreign)).status).toBe(429);
    expect((await signInWith(token)).status).toBe(200);
    const next = "eleven loud lanterns";
    expect((await setNewPassword(token, next)).status).toBe(200);
    at("2026-05-06T09:59:59.999");
    expect((await signInWith(token, next)).status).toBe(200);
    at("2026-05-06T10:00:00.000");
    expect((await signInWith(token, next)).status).toBe(429);
  });

  test("D9, D10: the reset token of test logins proves nothing: many people know their pin", async () => {
    const token = "t".repeat(43);
    await transact([putResetToken(userId, hashToken(token), 1, new Date())]);
    await shutLogin(login);
    expect((await signInWith(token)).status).toBe(429);
    await transact([putResetToken(userId, hashToken(token), undefined, new Date())]);
    expect((await signInWith(token)).status).toBe(200);
  });

  test("D10: a session of before a new password proves nothing, nor does another user's", async () => {
    const { refresh_token } = (await signInAs(login)).body.token;
    await store([userLine(userId, { password: "eleven loud lanterns" })]);
    const other = (await signInAs(await otherLogin())).body.token.refresh_token;
    await shutLogin(login);
    for (const proof of [refresh_token, other]) {
      expect((await signInWith(proof, "eleven loud lanterns")).status).toBe(429);
    }
  });

  test("D10: the session that its client has signed out of proves an earlier one, and one that reuse has ended does not", async () => {
    const [own, reused] = [(await signInAs(login)).body.token, (await signInAs(login)).body.token];
    const headers = { authorization: `Bearer ${own.access_token}` };
    expect((await call(signOutHandler, signOut, { headers })).status).toBe(200);
    const refresh = async (refresh_token: string) => (await refreshWith(refresh_token)).body.token?.refresh_token;
    const second = await refresh(reused.refresh_token);
    const newest = await refresh(second);
    expect(await refresh(reused.refresh_token)).toBeUndefined();
    await shutLogin(login);
    expect((await signInWith(newest)).status).toBe(429);
    expect((await signInWith(own.refresh_token)).status).toBe(200);
  });

  test("D10, D14: a device that was registered before a new password proves nothing, until it is registered again", async () => {
    const device = { token: `old-${userId}`, platform: "ios", pushService: "apns" } as const;
    await saveDeviceToken(userId, device, userId);
    await store([userLine(userId, { password: "eleven loud lanterns" })]);
    await store([userLine(userId, { password })]);
    await shutLogin(login);
    expect((await signInWith(device.token)).status).toBe(429);
    await saveDeviceToken(userId, { ...device, epoch: 2 }, userId);
    expect((await signInWith(device.token)).status).toBe(200);
  });

  test("D10, D12: a proof that proves nothing costs the same at known and unknown logins, and no round trip more than none", async () => {
    const { refresh_token } = (await signInAs(await otherLogin())).body.token;
    const foreign = `foreign-${userId}`;
    await saveDeviceToken(userId + 500_000, { token: foreign, platform: "ios", pushService: "apns" }, userId);
    at("2026-05-08T09:00:00.000");
    const expired = await confirmedNow();
    at("2026-05-08T10:00:00.000");
    const proofs = ["x", "x".repeat(9_000), `${refresh_token}x`, refresh_token, foreign, expired];
    for (const proof of proofs) {
      expect(await unitsOfWrong(login, proof)).toEqual(await unitsOfWrong(`nobody-${login}`, proof));
    }
    expect(await unitsOfWrong(login)).toEqual({ readUnits: 5.5, writeUnits: 2 });
    const slowly = slowTable(60);
    onTestFinished(slowly.end);
    const timeWith = async (proof?: string) => Math.min(await timeOf(login, proof), await timeOf(login, proof));
    const without = await timeWith();
    for (const proof of proofs)
      expect((await timeWith(proof)) - without, proof.slice(0, 20)).toBeLessThan(slowly.tripMs);
  }, 60_000);

  async function unitsOfWrong(as: string, proof?: string) {
    const body = { user: { login: as, password: "wrong" } };
    const headers = { ...(proof !== undefined && { "known-client": proof }) };
    const { readUnits, writeUnits } = await costOf(() => call(handler, signIn, { body, headers }));
    return { readUnits, writeUnits };
  }

  async function timeOf(as: string, proof?: string): Promise<number> {
    const startedAt = performance.now();
    await unitsOfWrong(as, proof);
    return performance.now() - startedAt;
  }

  function signInWith(proof: string, typed = password, from?: string) {
    const headers = { "known-client": proof };
    return call(handler, signIn, { body: { user: { login, password: typed } }, headers, ...(from && { from }) });
  }

  /** The reset token of a pin that was confirmed now. */
  async function confirmedNow(as = login): Promise<string> {
    const pin = await askForPin(service, as);
    return (await tryPin(as, pin)).body.user.reset_password_token;
  }

  /** The login of another user. */
  async function otherLogin(): Promise<string> {
    await store([userLine(userId + 500_000, { password })]);
    return `user-${userId + 500_000}@example.com`;
  }
});

describe("401", () => {
  test("D5, D15: a wrong password, an unknown login and a user without a password are one answer", async () => {
    await store([userLine(userId + 500_000, { email: `bare-${login}` })]);
    const answers = [
      await signInAs(login, "wrong"),
      await signInAs("nobody@example.com"),
      await signInAs("+447400999999"),
      await signInAs(`bare-${login}`),
      await signInAs(login, ` ${password}`),
      await signInAs(login, password.toUpperCase()),
    ];
    const alike = ({ body, headers }: (typeof answers)[number]) => ({
      body: { ...body, request_id: "" },
      headers: { ...headers, "x-request-id": "" },
    });
    for (const answer of answers) {
      expectProblem(answer, 401, "login_invalid");
      expect(alike(answer)).toEqual(alike(answers[0] as typeof answer));
    }
    expect(answers[0]?.headers).toMatchObject({ "www-authenticate": "Bearer", "cache-control": "no-store" });
    expect(answers[0]?.headers).not.toHaveProperty("authorization");
  });

  test("D35: a removed user's login is login_invalid", async () => {
    await store([{ type: "user", id: userId, deleted: true }]);
    expectProblem(await signInAs(login), 401, "login_invalid");
  });
});

describe("422", () => {
  test.each([
    [{ password }, "/user/login", "missing"],
    [{ login: "nobody", password }, "/user/login", "invalid"],
    [{ login: "a\u0000@example.com", password }, "/user/login", "invalid"],
    [{ login: "a@example.com" }, "/user/password", "missing"],
    [{ login: "a@example.com", password: "" }, "/user/password", "too_short"],
    [{ login: "a@example.com", password: "x".repeat(257) }, "/user/password", "too_long"],
    [{ login: "a@example.com", password: 12345678 }, "/user/password", "wrong_type"],
    [{ login: "a@example.com", password: "\ud800" }, "/user/password", "invalid"],
  ])("D15: %j names the field", async (user, pointer, code) => {
    const answer = await call(handler, signIn, { body: { user } });
    expectProblem(answer, 422, "fields_invalid");
    expect(answer.body.errors).toMatchObject([{ pointer, code }]);
  });
});

describe("429", () => {
  test.each([
    ["known", (own: string) => own],
    ["unknown", (own: string) => `nobody-${own}`],
  ])("D15: after 60 wrong passwords of a day, 20 of one address, a %s login waits until the day is over (UTC)", async (_, as) => {
    at("2026-05-02T09:00:00.000");
    const [own, first] = [as(login), "192.0.2.1"];
    await failPasswords(own, 20, first);
    await expectShut(own, first, 15 * 3_600);
    expectProblem(await signInAs(own, "wrong", "192.0.2.9"), 401, "login_invalid");
    for (const [host, times] of [
      [2, 20],
      [3, 19],
    ] as const)
      await failPasswords(own, times, `192.0.2.${host}`);
    await expectShut(own, undefined, 15 * 3_600);
    at("2026-05-02T23:59:59.999");
    await expectShut(own, undefined, 60);
    at("2026-05-03T00:00:00.000");
    expect((await signInAs(own)).status).toBe(own === login ? 200 : 401);
  });

  test("D15: of 30 wrong passwords at once, from one address, at most 20 are compared", async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => signInAs(login, "wrong", "192.0.2.77")));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  test("D10, D15: an address, of IPv6 its /56, fails 2,000 times a day at all logins", async () => {
    at("2026-05-05T09:00:00.000");
    await failEverywhere("2001:db8:5:100::1", 2_000);
    await expectShut(login, "2001:db8:5:1ff::2", 15 * 3_600);
    expect((await signInAs(login, password, "2001:db8:5:200::1")).status).toBe(200);
    at("2026-05-06T00:00:00.000");
    expect((await signInAs(login, password, "2001:db8:5:100::1")).status).toBe(200);
  });

  async function expectShut(as: string, from: string | undefined, wait: number) {
    const refused = await signInAs(as, password, from);
    expectProblem(refused, 429, "too_many_requests");
    expect(refused.headers["retry-after"]).toBe(String(wait));
    expect(refused.body.detail).toContain("a pin lets you in");
  }
});

describe("a lost answer", () => {
  test.each([
    ["a wrong password", "wrong", 401, { login: 1, client: 1 }],
    ["a right password", password, 200, { login: 0, client: 0 }],
  ])("D15: of any call of %s counts nothing twice", async (_, typed, status, counted) => {
    const from = `198.51.100.${userId % 250}`;
    for (let lost: string | undefined = "", n = 1; lost !== undefined; n += 1) {
      await forgetLimits(service);
      network.lose(n, "interrupted");
      expect((await signInAs(login, typed, from)).status).toBe(status);
      lost = network.heal();
      expect({ login: await passwordsAt(login), client: await failuresOf(from) }, lost).toEqual(counted);
    }
  });
});

test("D5, D15: no login, password or token is logged", async () => {
  loggedLines.length = 0;
  expectProblem(await signInAs(login, "wrong"), 401, "login_invalid");
  const { token } = (await signInAs(login)).body;
  await signInAs(login, "canary password");
  const logged = loggedLines.join("");
  expect(logged).toContain("login_invalid");
  const secrets = [login, password, "canary", token.access_token, token.refresh_token];
  for (const secret of secrets) expect(logged).not.toContain(secret);
});
