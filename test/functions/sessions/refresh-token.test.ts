import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { handler as getProfileHandler } from "../../../functions/accounts/get-profile.ts";
import { handler as registerDeviceHandler } from "../../../functions/devices/register-device-token.ts";
import { handler } from "../../../functions/sessions/refresh-token.ts";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import { handler as signOutHandler } from "../../../functions/sessions/sign-out.ts";
import { getProfile } from "../../../shared/contract/accounts.ts";
import { registerDeviceToken } from "../../../shared/contract/devices.ts";
import { refreshToken, signIn, signOut } from "../../../shared/contract/sessions.ts";
import { findSession, type StoredSession } from "../../../shared/db/accounts/sessions.ts";
import { putIf } from "../../../shared/db/table/conditional-writes.ts";
import { makeRefreshToken, makeSeed } from "../../../shared/domain/accounts/refresh-token.ts";
import { hmacKey } from "../../../shared/secrets.ts";
import { readSigningKeys, writeSigningKeys } from "../../../shared/tokens/signing-keys.ts";
import { useFaultProxy } from "../../support/faults/fault-proxy.ts";
import { costOf } from "../../support/records/costs.ts";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { familyOf, signInAs } from "../../support/requests/sessions.ts";
import { countedMetrics, loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";
import { tokensOf } from "../../support/workers/pushes.ts";

useService();
const proxy = useFaultProxy();
const fault = { status: 400, body: { __type: "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException" } };

const password = "seven quiet harbours";
let userId: number;
let login: string;

useSigningKey();
useOwnUser((id, own) => {
  [userId, login] = [id, own];
  return { password };
});

const signedIn = () => signInAs(login, password);

function refresh(refresh_token: unknown) {
  return call(handler, refreshToken, { body: { token: { refresh_token } } });
}

/** Spends a token and lets the minute pass in which its answer would be repeated. */
async function spentLongAgo(token: string): Promise<string> {
  at("2026-03-01T09:00:00.000");
  const { refresh_token } = (await refresh(token)).body.token;
  at("2026-03-01T09:01:00.000");
  return refresh_token;
}

async function storedSession(refresh_token: string): Promise<StoredSession> {
  const session = await findSession(userId, familyOf({ refresh_token }));
  if (!session) throw new Error("There is no session");
  return session;
}

async function registerDevice(accessToken: string, name: string): Promise<void> {
  const notification = { token: `${name}-${userId}`, platform: "fcm", device_id: name };
  const sent = { body: { notification }, headers: { authorization: `Bearer ${accessToken}` } };
  expect((await call(registerDeviceHandler, registerDeviceToken, sent)).status).toBe(200);
}

async function expectDead(token: string) {
  expectProblem(await refresh(token), 401, "refresh_token_invalid");
}

describe("200", () => {
  test("D5: a refresh token becomes new tokens of the same session, in the body and as a bearer header", async () => {
    const before = await signedIn();
    const { status, body, headers } = await refresh(before.refresh_token);
    expect(status).toBe(200);
    expect(body).toEqual({
      token: {
        access_token: expect.any(String),
        token_type: "Bearer",
        expires_in: 900,
        refresh_token: expect.any(String),
      },
    });
    expect(body.token.refresh_token).not.toBe(before.refresh_token);
    expect(decodeJwt(body.token.access_token).sid).toBe(decodeJwt(before.access_token).sid);
    const { authorization = "" } = headers;
    expect(authorization).toBe(`Bearer ${body.token.access_token}`);
    expect((await call(getProfileHandler, getProfile, { headers: { authorization } })).body.user.id).toBe(userId);
  });

  test("D5: an answer that was lost is given again for a minute, with the same refresh token, and counted", async () => {
    const { refresh_token } = await signedIn();
    const first = (await refresh(refresh_token)).body.token;
    loggedLines.length = 0;
    const again = await refresh(refresh_token);
    expect(again.status).toBe(200);
    expect(again.body.token.refresh_token).toBe(first.refresh_token);
    expect(countedMetrics()).toEqual([{ RefreshesRepeated: 1 }]);
    expect(again.headers.authorization).toBe(`Bearer ${again.body.token.access_token}`);
    expect((await refresh(first.refresh_token)).status).toBe(200);
  });

  test("D5: however often one number is repeated it counts once, and of 20 numbers a day each is repeated", async () => {
    at("2026-03-01T09:00:00.000");
    let { refresh_token } = await signedIn();
    for (let number = 1; number <= 20; number += 1) {
      const next = (await refresh(refresh_token)).body.token.refresh_token;
      for (let time = 0; time < (number === 1 ? 25 : 1); time += 1) {
        expect((await refresh(refresh_token)).body.token.refresh_token).toBe(next);
      }
      refresh_token = next;
    }
    const next = (await refresh(refresh_token)).body.token.refresh_token;
    loggedLines.length = 0;
    await expectDead(refresh_token);
    expect(countedMetrics()).toEqual([]);
    // The 21st ends nothing, and the next day has 20 of its own.
    at("2026-03-02T09:00:00.000");
    refresh_token = (await refresh(next)).body.token.refresh_token;
    expect((await refresh(next)).body.token.refresh_token).toBe(refresh_token);
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  test("D5: a client that is ahead of a table that was restored goes on, and is counted", async () => {
    const { refresh_token: first } = await signedIn();
    const backup = await storedSession(first);
    const second = (await refresh(first)).body.token.refresh_token;
    const third = (await refresh(second)).body.token.refresh_token;
    await putIf({ Item: { ...backup } });
    loggedLines.length = 0;
    const fourth = (await refresh(third)).body.token.refresh_token;
    expect(countedMetrics()).toEqual([{ RefreshesAhead: 1 }]);
    expect((await refresh(fourth)).status).toBe(200);
    // The numbers of before are old now, whatever the restored table had of them.
    await expectDead(second);
    await expectDead(fourth);
  });

  test("D5: of 20 who spend one token at once all get one successor, which renews", async () => {
    const { refresh_token } = await signedIn();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refresh_token)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const successors = new Set(answers.map(({ body }) => body.token.refresh_token));
    expect(successors.size).toBe(1);
    expect((await refresh([...successors][0])).status).toBe(200);
  });

  test("D5: a refresh that fails before its end costs no token", async () => {
    const { refresh_token } = await signedIn();
    proxy.fail("GetItem", fault, 1);
    expect((await refresh(refresh_token)).status).toBe(500);
    proxy.fail("UpdateItem", fault, 1);
    expect((await refresh(refresh_token)).status).toBe(500);
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  test("D5: a refresh whose tokens cannot be signed costs no token, however late it is repeated", async () => {
    const { refresh_token } = await signedIn();
    const keys = await readSigningKeys();
    await writeSigningKeys([]);
    expect((await refresh(refresh_token)).status).toBe(500);
    await writeSigningKeys(keys);
    at(new Date(Date.now() + 3_600_000).toISOString().slice(0, -1));
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  test("D5: each new refresh token renews again", async () => {
    let { refresh_token } = await signedIn();
    for (let round = 0; round < 5; round += 1) {
      const answer = await refresh(refresh_token);
      expect(answer.status).toBe(200);
      refresh_token = answer.body.token.refresh_token;
    }
  });

  test("D5: a refresh token counts for 30 days to the millisecond, and its successor for 30 more; refused, it still proves its client (D10)", async () => {
    at("2026-03-01T09:00:00.000");
    const [one, other] = [await signedIn(), await signedIn()];
    at("2026-03-31T08:59:59.999");
    const renewed = await refresh(one.refresh_token);
    expect(renewed.status).toBe(200);
    at("2026-03-31T09:00:00.000");
    await expectDead(other.refresh_token);
    const known = { "known-client": other.refresh_token };
    for (let index = 0; index < 10; index += 1) {
      await call(signInHandler, signIn, { body: { user: { login, password: "wrong" } } });
    }
    const signedInAgain = await call(signInHandler, signIn, { body: { user: { login, password } }, headers: known });
    expect(signedInAgain.status).toBe(200);
    at("2026-04-30T08:59:59.998");
    expect((await refresh(renewed.body.token.refresh_token)).status).toBe(200);
  });

  test("D4: the new access token says what the user is by now", async () => {
    const { refresh_token } = await signedIn();
    await store([userLine(userId, { role: "client", financial_company_id: 2 })]);
    const { access_token } = (await refresh(refresh_token)).body.token;
    expect(decodeJwt(access_token)).toMatchObject({ sub: String(userId), role: "client", company: 2 });
  });
});

describe("401", () => {
  test("D5: a token that was spent a minute ago ends its family: even the newest is dead", async () => {
    at("2026-03-01T09:00:00.000");
    const first = await signedIn();
    const newest = await spentLongAgo(first.refresh_token);
    await expectDead(first.refresh_token);
    await expectDead(newest);
  });

  test("D5: a token whose successor was used ends its family at once", async () => {
    const first = await signedIn();
    const second = (await refresh(first.refresh_token)).body.token;
    const third = (await refresh(second.refresh_token)).body.token;
    await expectDead(first.refresh_token);
    await expectDead(third.refresh_token);
  });

  test("D5, D28: with its family its devices go, and get no pushes; those of other sessions stay", async () => {
    const [{ access_token, refresh_token }, other] = [await signedIn(), await signedIn()];
    await registerDevice(access_token, "stolen");
    await registerDevice(other.access_token, "kept");
    await spentLongAgo(refresh_token);
    await expectDead(refresh_token);
    expect(await tokensOf(userId)).toEqual([`kept-${userId}`]);
  });

  test("D5: a spent token leaves the user's other sessions alone", async () => {
    at("2026-03-01T09:00:00.000");
    const [one, other] = [await signedIn(), await signedIn()];
    await spentLongAgo(one.refresh_token);
    await expectDead(one.refresh_token);
    expect((await refresh(other.refresh_token)).status).toBe(200);
  });

  test("D5: signing out, a new password and the end of a family are not undone by a repeated refresh", async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    const { access_token } = (await refresh(one.refresh_token)).body.token;
    await call(signOutHandler, signOut, { headers: { authorization: `Bearer ${access_token}` } });
    await expectDead(one.refresh_token);
    await refresh(other.refresh_token);
    await store([userLine(userId, { password: "another quiet harbour" })]);
    await expectDead(other.refresh_token);
    await expectDead(other.refresh_token);
  });

  test("D35: a removed user's token is dead", async () => {
    const { refresh_token } = await signedIn();
    await store([{ type: "user", id: userId, deleted: true }]);
    await expectDead(refresh_token);
  });

  test("D35: the token of a removed user stays dead when the id is imported again", async () => {
    const { refresh_token } = await signedIn();
    await store([{ type: "user", id: userId, deleted: true }]);
    await store([userLine(userId, { password })]);
    await expectDead(refresh_token);
  });

  test("D14: a changed password ends the sessions from before, and not those from after", async () => {
    const before = await signedIn();
    await store([userLine(userId, { password: "another quiet harbour" })]);
    await expectDead(before.refresh_token);
    await store([userLine(userId, { password })]);
    expect((await refresh((await signedIn()).refresh_token)).status).toBe(200);
  });

  test("D35: an import that leaves the password as it is ends no session", async () => {
    const { refresh_token } = await signedIn();
    await store([userLine(userId, { first_name: "Ada", password })]);
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  test.each([
    ["another user's id", (token: string) => token.replace(/^[0-9]+/, "1")],
    ["another family", (token: string) => token.replace(/\..{22}\./, `.${"f".repeat(22)}.`)],
    ["its last letter changed", (token: string) => token.replace(/.$/, (last) => (last === "A" ? "E" : "A"))],
    ["white space around it", (token: string) => ` ${token} `],
    ["two parts", (token: string) => token.split(".").slice(0, 2).join(".")],
    ["a part more", (token: string) => `${token}.a`],
    ["only a word", () => "token"],
    ["a reset token", () => "r".repeat(43)],
  ])("D5: a token with %s is refused", async (_, change) => {
    await expectDead(change((await signedIn()).refresh_token));
  });

  test("D5: an access token is no refresh token", async () => {
    await expectDead((await signedIn()).access_token);
  });

  test("D5: a refresh token is no access token", async () => {
    const { refresh_token } = await signedIn();
    const answer = await call(getProfileHandler, getProfile, { headers: { authorization: `Bearer ${refresh_token}` } });
    expectProblem(answer, 401, "token_invalid");
  });

  test.each([
    ["a minute and a second", "2026-03-01T09:01:01.000", 401],
    ["a minute less a millisecond", "2026-03-01T09:00:59.999", 200],
  ])("D5: a token that was spent %s ago", async (_, moment, status) => {
    at("2026-03-01T09:00:00.000");
    const { refresh_token } = await signedIn();
    const newest = (await refresh(refresh_token)).body.token.refresh_token;
    at(moment);
    expect((await refresh(refresh_token)).status).toBe(status);
    expect((await refresh(newest)).status).toBe(status);
  });

  test("D5: a number that is too high or too low, without a MAC of its own, ends nothing, in two reads at once", async () => {
    let { refresh_token } = await signedIn();
    const first = refresh_token;
    for (let round = 0; round < 3; round += 1) refresh_token = (await refresh(refresh_token)).body.token.refresh_token;
    for (const n of ["1", "2", "3", "5", "999999999"]) {
      const forged = refresh_token.replace(/^([^.]*\.[^.]*)\.4\./, `$1.${n}.`);
      expect(forged).not.toBe(refresh_token);
      const cost = await costOf(() => expectDead(forged));
      expect(cost).toEqual({ readUnits: 2, writeUnits: 0, sequentialTrips: 1 });
    }
    await expectDead(first.replace(/.$/, (last) => (last === "A" ? "Q" : "A")));
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  test("D5, D10: the last token of a session that ended, or a number above it, ends nothing: the client is still known", async () => {
    const { access_token, refresh_token } = await signedIn();
    const { seed } = await storedSession(refresh_token);
    await call(signOutHandler, signOut, { headers: { authorization: `Bearer ${access_token}` } });
    const ended = await storedSession(refresh_token);
    const above = { userId, family: familyOf({ refresh_token }), n: 2 };
    await expectDead(refresh_token);
    await expectDead(makeRefreshToken(above, seed, await hmacKey()));
    expect(await storedSession(refresh_token)).toEqual(ended);
  });

  test("D5, D10: the predecessor of a session that ended a moment ago is refused and ends nothing; later it is reuse", async () => {
    at("2026-03-01T09:00:00.000");
    const first = await signedIn();
    const { access_token } = (await refresh(first.refresh_token)).body.token;
    await call(signOutHandler, signOut, { headers: { authorization: `Bearer ${access_token}` } });
    await expectDead(first.refresh_token);
    expect(await storedSession(first.refresh_token)).not.toHaveProperty("revoked");
    at("2026-03-01T09:01:00.000");
    await expectDead(first.refresh_token);
    expect(await storedSession(first.refresh_token)).toMatchObject({ revoked: true });
  });

  test("D5: a token that someone made up ends nobody's session", async () => {
    const { refresh_token } = await signedIn();
    const place = { userId, family: "f".repeat(22), n: 1 };
    await expectDead(makeRefreshToken(place, makeSeed(), await hmacKey()));
    expect((await refresh(refresh_token)).status).toBe(200);
  });
});

describe("422", () => {
  test.each([
    [undefined, "missing"],
    ["", "too_short"],
    [7, "wrong_type"],
    [["a"], "wrong_type"],
    ["a\u0000", "invalid"],
  ])("D5: %j names the field", async (token, code) => {
    const answer = await refresh(token);
    expectProblem(answer, 422, "fields_invalid");
    expect(answer.body.errors).toMatchObject([{ pointer: "/token/refresh_token", code }]);
  });
});

test("D5: no token is logged", async () => {
  const first = await signedIn();
  loggedLines.length = 0;
  const second = (await refresh(first.refresh_token)).body.token;
  await refresh(second.refresh_token);
  await refresh(first.refresh_token);
  const logged = loggedLines.join("");
  expect(logged).toContain("refresh_token_invalid");
  for (const secret of [first.refresh_token, second.refresh_token, second.access_token]) {
    expect(logged).not.toContain(secret);
  }
});
