import { decodeJwt, decodeProtectedHeader } from "jose";
import { describe, expect, test, vi } from "vitest";
import { handler as getProfileHandler } from "../../../functions/accounts/get-profile.ts";
import { handler } from "../../../functions/sessions/sign-in.ts";
import { handler as signOutHandler } from "../../../functions/sessions/sign-out.ts";
import { getProfile } from "../../../shared/contract/accounts.ts";
import { signIn, signOut } from "../../../shared/contract/sessions.ts";
import { saveDeviceToken } from "../../../shared/db/notifications/device-tokens.ts";
import { useFaultProxy } from "../../support/faults/fault-proxy.ts";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { shownUser, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { closePinFlow, guessesAt } from "../../support/requests/guesses.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { refreshWith } from "../../support/requests/sessions.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";

useService();
const proxy = useFaultProxy();
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

async function fail(times: number) {
  for (let index = 0; index < times; index += 1) expectProblem(await signInAs(login, "wrong"), 401, "login_invalid");
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

  test("D15: success forgets the failures of its client, and nobody else's", async () => {
    const unknown = `nobody-${login}`;
    for (const at of [login, unknown]) {
      for (let index = 0; index < 9; index += 1) await signInAs(at, "wrong", `198.51.100.${index}`);
    }
    expect((await signInAs(login, password, "203.0.113.1")).status).toBe(200);
    for (const at of [login, unknown]) {
      const [next, last] = [await signInAs(at, "wrong"), await signInAs(at, "wrong")];
      expect([next.status, last.status]).toEqual([401, 429]);
    }
  });

  test("D10, D15: a client that proves an earlier session signs in where strangers have shut the login, by refresh token or device", async () => {
    const { refresh_token } = (await signInAs(login)).body.token;
    await saveDeviceToken(userId, { token: `device-${userId}`, platform: "ios", pushService: "apns" }, userId);
    await fail(10);
    const known = (proof: string, typed = password) =>
      call(handler, signIn, { body: { user: { login, password: typed } }, headers: { "known-client": proof } });
    for (const proof of ["x", `${refresh_token}x`]) expect((await known(proof)).status).toBe(429);
    expect((await known(refresh_token, "wrong")).status).toBe(401);
    expect((await known(refresh_token)).status).toBe(200);
    expect((await known(`device-${userId}`)).status).toBe(200);
    expect((await signInAs(login)).status).toBe(429);
  });

  test("D10: a session of before a new password proves nothing, nor does another user's", async () => {
    const { refresh_token } = (await signInAs(login)).body.token;
    await store([userLine(userId, { password: "eleven loud lanterns" }), userLine(userId + 500_000, { password })]);
    const other = (await signInAs(`user-${userId + 500_000}@example.com`)).body.token.refresh_token;
    await fail(10);
    for (const proof of [refresh_token, other]) {
      const body = { user: { login, password: "eleven loud lanterns" } };
      expect((await call(handler, signIn, { body, headers: { "known-client": proof } })).status).toBe(429);
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
    await fail(10);
    expect((await signInWith(newest)).status).toBe(429);
    expect((await signInWith(own.refresh_token)).status).toBe(200);
  });

  test("D10, D14: a device that was registered before a new password proves nothing, until it is registered again", async () => {
    const device = { token: `old-${userId}`, platform: "ios", pushService: "apns" } as const;
    await saveDeviceToken(userId, device, userId);
    await store([userLine(userId, { password: "eleven loud lanterns" })]);
    await store([userLine(userId, { password })]);
    await fail(10);
    expect((await signInWith(device.token)).status).toBe(429);
    await saveDeviceToken(userId, { ...device, epoch: 2 }, userId);
    expect((await signInWith(device.token)).status).toBe(200);
  });

  test("D10, D12: a proof that is nobody's costs the same calls at known and unknown logins, and reads no devices", async () => {
    const callsAt = async (as: string) => {
      proxy.reset();
      const body = { user: { login: as, password: "wrong" } };
      await call(handler, signIn, { body, headers: { "known-client": "x" } });
      return Object.fromEntries(proxy.calls);
    };
    const known = await callsAt(login);
    expect(await callsAt(`nobody-${login}`)).toEqual(known);
    expect(known.Query).toBeUndefined();
  });

  test("D10: who shares an address with a stranger who guesses is kept out of no login that knows them; others are", async () => {
    const { refresh_token } = (await signInAs(login)).body.token;
    const from = `2001:db8:1:${userId}::1`;
    for (let index = 0; index < 30; index += 1) await signInAs(`x-${index}-${login}`, "wrong", from);
    expect((await signInAs(login, password, from)).status).toBe(429);
    expect((await signInWith(refresh_token, password, from)).status).toBe(200);
    // The success gave one login back.
    await signInAs(`x-30-${login}`, "wrong", from);
    for (let index = 0; index < 20; index += 1) {
      expect((await signInWith(refresh_token, "wrong", from)).status).toBe(401);
    }
    expect((await signInWith(refresh_token, password, from)).status).toBe(429);
  }, 60_000);

  function signInWith(proof: string, typed = password, from?: string) {
    const headers = { "known-client": proof };
    return call(handler, signIn, { body: { user: { login, password: typed } }, headers, ...(from && { from }) });
  }

  test("D10: success begins a new row of wrong pins", async () => {
    await closePinFlow(login);
    expect((await guessesAt(login)).pin_streak).toBe(100);
    await signInAs(login);
    expect((await guessesAt(login)).pin_streak).toBe(0);
  });
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

/** The minutes that a login is asked to wait, as wrong passwords come as soon as they may. */
async function waitsOf(requests: number, from?: string): Promise<number[]> {
  const waits: number[] = [];
  let now = Date.parse("2026-05-10T00:00:00.000Z");
  for (let sent = 0; sent < requests; sent += 1) {
    vi.useFakeTimers({ now, toFake: ["Date"] });
    const { status, headers } = await signInAs(login, "wrong", from);
    if (status === 401) continue;
    const seconds = Number(headers["retry-after"]);
    waits.push(seconds / 60);
    now += seconds * 1000;
  }
  return waits;
}

describe("429", () => {
  test("D15: after 10 failures even the right password waits, until 15 minutes after the first, to the millisecond", async () => {
    at("2026-05-02T09:00:00.000");
    await fail(10);
    const refused = await signInAs(login);
    expectProblem(refused, 429, "too_many_requests");
    expect(refused.headers["retry-after"]).toBe("900");
    at("2026-05-02T09:14:59.999");
    const last = await signInAs(login);
    expectProblem(last, 429, "too_many_requests");
    expect(last.headers["retry-after"]).toBe("60");
    at("2026-05-02T09:15:00.000");
    expect((await signInAs(login)).status).toBe(200);
  });

  test("D15: after 5 failures of one client it waits for 15 minutes, and nobody else does", async () => {
    at("2026-05-03T09:00:00.000");
    for (let index = 0; index < 5; index += 1) expect((await signInAs(login, "wrong", "192.0.2.9")).status).toBe(401);
    const refused = await signInAs(login, password, "192.0.2.9");
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "900"]);
    expect((await signInAs(login)).status).toBe(200);
  });

  test("D15: Retry-After is in whole minutes and grows with the failures of a login, over all clients", async () => {
    expect(await waitsOf(70)).toEqual([15, 45, 15, 285, 15, 1_065]);
  });

  test("D15: Retry-After of one client grows with its own failures, and comes sooner", async () => {
    expect(await waitsOf(60, "192.0.2.9")).toEqual([15, 15, 30, 15, 15, 270, 15, 15, 1_050, 15]);
  });

  test("D15: an unknown login is limited like a known one", async () => {
    at("2026-05-04T09:00:00.000");
    const unknown = `nobody-${userId}@example.com`;
    for (let index = 0; index < 10; index += 1) expectProblem(await signInAs(unknown), 401, "login_invalid");
    const refused = await signInAs(unknown);
    expectProblem(refused, 429, "too_many_requests");
    expect(refused.headers["retry-after"]).toBe("900");
  });

  test("D15: of 30 wrong passwords at once at most 10 are compared", async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => signInAs(login, "wrong")));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  });

  test("D15: one address fails at 30 logins in 5 minutes, and a success gives capacity back", async () => {
    at("2026-05-05T09:00:00.000");
    const from = (host: number) => `2001:db8:0:${userId}::${host}`;
    for (let index = 1; index <= 30; index += 1) {
      expectProblem(await signInAs(`x-${index}-${login}`, password, from(index)), 401, "login_invalid");
      if (index === 10) expect((await signInAs(login, password, from(index))).status).toBe(200);
    }
    expectProblem(await signInAs(`x-31-${login}`, password, from(31)), 401, "login_invalid");
    at("2026-05-05T09:04:59.999");
    const refused = await signInAs(login, password, from(32));
    expectProblem(refused, 429, "too_many_requests");
    expect(refused.headers["retry-after"]).toBe("60");
    expect((await signInAs(login)).status).toBe(200);
    at("2026-05-05T09:05:00.000");
    expect((await signInAs(login, password, from(32))).status).toBe(200);
  }, 60_000);
});

test("D5, D15: no login, password or token is logged", async () => {
  loggedLines.length = 0;
  await fail(1);
  const { token } = (await signInAs(login)).body;
  await signInAs(login, "canary password");
  const logged = loggedLines.join("");
  expect(logged).toContain("login_invalid");
  const secrets = [login, password, "canary", token.access_token, token.refresh_token];
  for (const secret of secrets) expect(logged).not.toContain(secret);
});
