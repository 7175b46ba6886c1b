import { decodeJwt, decodeProtectedHeader } from "jose";
import { describe, expect, test } from "vitest";
import { handler as getProfileHandler } from "../../../functions/accounts/get-profile.ts";
import { handler } from "../../../functions/sessions/sign-in.ts";
import { getProfile } from "../../../shared/contract/accounts.ts";
import { signIn } from "../../../shared/contract/sessions.ts";
import { saveDeviceToken } from "../../../shared/notifications/devices.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { type Cost, costOf } from "../../support/records/costs.ts";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { shownUser, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { resetTokenOf, setNewPassword, tryPassword } from "../../support/requests/accounts.ts";
import { call } from "../../support/requests/call.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { failPasswords, failuresOf, passwordsAt, shutLogin } from "../../support/requests/passwords.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { refreshWith, signInAs, signOutOf } from "../../support/requests/sessions.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const network = useNetwork();
const [password, newPassword] = ["seven quiet harbours", "eleven loud lanterns"];

useSigningKey();
const own = useOwnUser(() => ({ password }));

const session = () => signInAs(own.login, password);
const attempt = (typed = password, from?: string, proof?: string) => tryPassword(own.login, typed, { from, proof });
const withProof = (proof: string, typed = password, from?: string) => attempt(typed, from, proof);
let lastDeviceId = 0;
const register = (token: string, more: object = {}, userId = own.id) => {
  lastDeviceId += 1;
  return saveDeviceToken(userId, { token, platform: "ios", pushService: "apns", ...more }, lastDeviceId);
};

/** Another user, with the same password. */
async function neighbour() {
  const id = own.id + 500_000;
  await store([userLine(id, { password })]);
  return { id, login: `user-${id}@example.com` };
}

describe("200", () => {
  test("D5: the answer is the user with a token, in the body and as a bearer header, uncached", async () => {
    const { status, body, headers } = await attempt();
    const { authorization = "" } = headers;
    const refresh_token = expect.stringMatching(/^[\w.-]{1,200}$/);
    expect(status).toBe(200);
    expect(body).toEqual({
      user: shownUser(own.id),
      token: { access_token: expect.any(String), token_type: "Bearer", expires_in: 900, refresh_token },
    });
    expect(headers).toMatchObject({ authorization: `Bearer ${body.token.access_token}`, "cache-control": "no-store" });
    const profile = await call(getProfileHandler, getProfile, { headers: { authorization } });
    expect(profile).toMatchObject({ status: 200, body: { user: { id: own.id } } });
  });

  test("D7: the login is read as it is copied; nothing in an e-mail address is dropped", async () => {
    const typed = `\u202a${own.login.replace("user-", "ＵＳＥＲ\u2013")}\u00ad\u202c `;
    expect((await tryPassword(typed, password)).body.user).toMatchObject({ id: own.id });
    expectProblem(await tryPassword(own.login.replace("-", ""), password), 401, "login_invalid");
  });

  test("D4: the access token carries what callers are known by, for 15 minutes", async () => {
    at("2026-05-01T09:00:00.000");
    const { access_token } = await session();
    expect(decodeProtectedHeader(access_token)).toEqual({ alg: "ES256", typ: "at+jwt", kid: expect.any(String) });
    const issuedAt = Date.parse("2026-05-01T09:00:00.000Z") / 1000;
    expect(decodeJwt(access_token)).toEqual({
      iss: "workforce-test",
      aud: "workforce-api",
      sub: String(own.id),
      role: "operator",
      company: 1,
      sid: expect.stringMatching(/^[\w-]{22}$/),
      iat: issuedAt,
      exp: issuedAt + 900,
      jti: expect.any(String),
    });
  });

  test("D7, D15: any login of a user lets in, typed in any form, and letters composed otherwise", async () => {
    await store([userLine(own.id, { phone_number: "+447400123999", password: "café au lait" })]);
    for (const typed of [own.login, ` ${own.login.toUpperCase()} `, "+447400123999", "07400 123999"]) {
      expect((await tryPassword(typed, "cafe\u0301 au lait")).body.user).toMatchObject({ id: own.id });
    }
  });

  test("D15: a right password takes back its own count, and nobody else's", async () => {
    const from = "198.51.100.9";
    await failPasswords(own.login, 7, from);
    for (let index = 0; index < 3; index += 1) expect((await attempt(password, from)).status).toBe(200);
    expect([await passwordsAt(own.login), await failuresOf(from)]).toEqual([7, 7]);
  });

  test("D15: 25 right passwords at once, each from an address of its own, are all answered and leave nothing counted", async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, () => attempt()));
    expect(answers.map(({ status }) => status)).toEqual(Array(25).fill(200));
    expect(await passwordsAt(own.login)).toBe(0);
  }, 60_000);
});

describe("D10: the client that a header proves", () => {
  test("D15: signs in where strangers used everything up, at its login and its address", async () => {
    const [{ refresh_token }, from, device] = [await session(), "198.51.100.11", `device-${own.id}`];
    await register(device);
    const confirmed = await resetTokenOf(service, own.login);
    await shutLogin(own.login);
    await failPasswords(`another-${own.login}`, 2_000, from);
    const unknown = await attempt(password, from);
    expect(unknown).toMatchObject({ status: 429, body: { detail: expect.stringContaining("a pin lets you in") } });
    for (const proof of [refresh_token, device, confirmed]) {
      expect((await withProof(proof, "wrong", from)).status).toBe(401);
      expect((await withProof(proof, password, from)).status).toBe(200);
    }
    expect(await passwordsAt(own.login)).toBe(60);
  });

  test("D28: proves itself by a token of APNs in any letter case, by one of FCM as written", async () => {
    await shutLogin(own.login);
    const [apns, fcm] = [`abcdef${own.id}`, `fedcba${own.id}`];
    const capitals = (text: string) => text.toUpperCase();
    await register(apns);
    expect([(await withProof(apns)).status, (await withProof(capitals(apns))).status]).toEqual([200, 200]);
    await register(fcm, { pushService: "fcm" });
    expect([(await withProof(fcm)).status, (await withProof(capitals(fcm))).status]).toEqual([200, 429]);
    // Another user's token of APNs is no proof where the one of FCM is written the same way.
    const { id, login } = await neighbour();
    await register(capitals(fcm), { pushService: "fcm" });
    await register(fcm, {}, id);
    expect((await withProof(capitals(fcm))).status).toBe(200);
    await shutLogin(login);
    expect((await tryPassword(login, password, { proof: fcm })).status).toBe(200);
  });

  test("D15: has ten wrong passwords a day; then it counts as one without", async () => {
    const [{ refresh_token }, from, device] = [await session(), "198.51.100.12", `device-${own.id}`];
    const counts = async () => [await passwordsAt(own.login), await failuresOf(from)];
    for (let index = 0; index < 10; index += 1)
      expect((await withProof(refresh_token, "wrong", from)).status).toBe(401);
    expect(await counts()).toEqual([0, 0]);
    expect((await withProof(refresh_token, "wrong", from)).status).toBe(401);
    expect(await counts()).toEqual([1, 1]);
    // A device of the same session gives no passwords more.
    await register(device, { family: String(refresh_token.split(".")[1]) });
    await withProof(device, "wrong", from);
    expect(await passwordsAt(own.login)).toBe(2);
  });

  test("D15: with each confirmed pin has ten wrong passwords, whoever used up those of an earlier one", async () => {
    await shutLogin(own.login);
    for (let round = 0; round < 2; round += 1) {
      const token = await resetTokenOf(service, own.login);
      for (let index = 0; index < 10; index += 1) expect((await withProof(token, "wrong")).status).toBe(401);
      expect((await withProof(token)).status).toBe(429);
    }
  });

  test("confirmed a pin in the last hour, whether the reset token is spent or not, of its own user alone", async () => {
    at("2026-05-06T09:00:00.000");
    const [token, foreign] = [
      await resetTokenOf(service, own.login),
      await resetTokenOf(service, (await neighbour()).login),
    ];
    await shutLogin(own.login);
    expect((await withProof(foreign)).status).toBe(429);
    expect((await withProof(token)).status).toBe(200);
    expect((await setNewPassword(token, newPassword)).status).toBe(200);
    at("2026-05-06T09:59:59.999");
    expect((await withProof(token, newPassword)).status).toBe(200);
    at("2026-05-06T10:00:00.000");
    expect((await withProof(token, newPassword)).status).toBe(429);
  });

  test("D14: is nobody's by a session or a device of before a new password, nor by another user's session", async () => {
    const [{ refresh_token }, device] = [await session(), `old-${own.id}`];
    await register(device);
    await store([userLine(own.id, { password: newPassword })]);
    const foreign = (await signInAs((await neighbour()).login, password)).refresh_token;
    await shutLogin(own.login);
    for (const proof of [refresh_token, device, foreign]) {
      expect((await withProof(proof, newPassword)).status).toBe(429);
    }
    await register(device, { epoch: 1 });
    expect((await withProof(device, newPassword)).status).toBe(200);
  });

  test("had a session that it has signed out of itself, and none that reuse has ended", async () => {
    at("2026-05-08T09:00:00.000");
    const [left, reused] = [await session(), await session()];
    expect((await signOutOf(left)).status).toBe(200);
    const next = async (token: string) => (await refreshWith(token)).body.token?.refresh_token;
    const newest = await next(await next(reused.refresh_token));
    at("2026-05-08T09:01:00.000");
    expect(await next(reused.refresh_token)).toBeUndefined();
    await shutLogin(own.login);
    expect((await withProof(newest)).status).toBe(429);
    expect((await withProof(left.refresh_token)).status).toBe(200);
  });

  test("D12: if nothing is proved, costs the same at known and unknown logins, and no round trip more than none", async () => {
    const other = await neighbour();
    const [{ refresh_token }, foreign] = [await signInAs(other.login, password), `foreign-${own.id}`];
    await register(foreign, {}, other.id);
    at("2026-05-08T09:00:00.000");
    const expired = await resetTokenOf(service, own.login);
    at("2026-05-08T10:00:00.000");
    const costAt = (login: string, proof?: string) => {
      const headers = { ...(proof !== undefined && { "known-client": proof }) };
      return costOf(() => call(handler, signIn, { body: { user: { login, password: "wrong" } }, headers }));
    };
    const { sequentialTrips, ...units } = await costAt(own.login);
    // On a busy machine, calls side by side may be counted one after the other.
    const tripsAt = async (
      login: string,
      proof: string,
      { sequentialTrips: trips }: Cost,
      again = 3,
    ): Promise<number> =>
      trips <= sequentialTrips || again === 0 ? trips : tripsAt(login, proof, await costAt(login, proof), again - 1);
    expect(units).toEqual({ readUnits: 5.5, writeUnits: 2 });
    expect(await costAt(own.login, "x")).toMatchObject({ readUnits: 7, writeUnits: 2 });
    for (const proof of ["x", "x".repeat(9_000), `${refresh_token}x`, refresh_token, foreign, expired]) {
      const nobody = `nobody-${own.login}`;
      const [known, unknown] = [await costAt(own.login, proof), await costAt(nobody, proof)];
      expect([known.readUnits, known.writeUnits]).toEqual([unknown.readUnits, unknown.writeUnits]);
      expect(await tripsAt(own.login, proof, known)).toBeLessThanOrEqual(sequentialTrips);
      expect(await tripsAt(nobody, proof, unknown)).toBeLessThanOrEqual(sequentialTrips);
    }
  });
});

describe("401", () => {
  test("D5, D15, D35: wrong, unknown, removed and without a password are one answer", async () => {
    const [bare, removed] = [own.id + 500_000, own.id + 600_000];
    await store([userLine(bare), userLine(removed, { password })]);
    await store([{ type: "user", id: removed, deleted: true }]);
    const answers = [
      await attempt("wrong"),
      await tryPassword("nobody@example.com", password),
      await tryPassword("+447400999999", password),
      await tryPassword(`user-${bare}@example.com`, password),
      await tryPassword(`user-${removed}@example.com`, password),
      await attempt(` ${password}`),
      await attempt(password.toUpperCase()),
    ];
    const alike = answers.map(({ body, headers }) => ({
      body: { ...body, request_id: "" },
      headers: { ...headers, "x-request-id": "" },
    }));
    for (const [index, answer] of answers.entries()) {
      expectProblem(answer, 401, "login_invalid");
      expect(alike[index]).toEqual(alike[0]);
    }
    expect(answers[0]?.headers).toMatchObject({ "www-authenticate": "Bearer", "cache-control": "no-store" });
    expect(answers[0]?.headers).not.toHaveProperty("authorization");
  });
});

describe("429", () => {
  async function expectShut(login: string, from: string | undefined, wait: number) {
    const refused = await tryPassword(login, password, { from });
    expectProblem(refused, 429, "too_many_requests");
    expect(refused.headers["retry-after"]).toBe(String(wait));
    expect(refused.body.detail).toContain("a pin lets you in");
  }

  test.each([
    "",
    "nobody-",
  ])("D15: after 60 wrong passwords of a day, 20 of one address, a login waits until midnight (%suser)", async (prefix) => {
    at("2026-05-02T09:00:00.000");
    const [login, first] = [`${prefix}${own.login}`, "192.0.2.1"];
    await failPasswords(login, 20, first);
    await expectShut(login, first, 15 * 3_600);
    expectProblem(await tryPassword(login, "wrong", { from: "192.0.2.9" }), 401, "login_invalid");
    await failPasswords(login, 20, "192.0.2.2");
    await failPasswords(login, 18, "192.0.2.3");
    expectProblem(await tryPassword(login, "wrong", { from: "192.0.2.3" }), 401, "login_invalid");
    await expectShut(login, undefined, 15 * 3_600);
    at("2026-05-02T23:59:59.999");
    await expectShut(login, undefined, 60);
    at("2026-05-03T00:00:00.000");
    expect((await tryPassword(login, password)).status).toBe(prefix ? 401 : 200);
  });

  test("D15: of 30 wrong passwords at once, from one address, at most 20 are compared", async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => attempt("wrong", "192.0.2.77")));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  test("D10, D15: an address, of IPv6 its /56, fails 2,000 times a day at all logins", async () => {
    at("2026-05-05T09:00:00.000");
    await failPasswords(`another-${own.login}`, 2_000, "2001:db8:5:100::1");
    await expectShut(own.login, "2001:db8:5:1ff::2", 15 * 3_600);
    expect((await attempt(password, "2001:db8:5:200::1")).status).toBe(200);
    at("2026-05-06T00:00:00.000");
    expect((await attempt(password, "2001:db8:5:100::1")).status).toBe(200);
  });
});

test.each([
  ["a wrong password", "wrong", 401, { login: 1, client: 1 }],
  ["a right password", password, 200, { login: 0, client: 0 }],
])("D15: a lost answer of any call of %s counts nothing twice", async (_, typed, status, counted) => {
  const from = `198.51.100.${own.id % 250}`;
  for (let lost: string | undefined = "", n = 1; lost !== undefined; n += 1) {
    await forgetLimits(service);
    network.lose(n, "interrupted");
    expect((await attempt(typed, from)).status).toBe(status);
    lost = network.heal();
    expect({ login: await passwordsAt(own.login), client: await failuresOf(from) }, lost).toEqual(counted);
  }
});
