import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { findSession, makeRefreshToken, makeSeed, type StoredSession } from "../../../shared/people/sessions.ts";
import { putIf } from "../../../shared/table/writes.ts";
import { readSigningKeys, writeSigningKeys } from "../../../shared/tokens/keys.ts";
import { hmacKey } from "../../../shared/tokens/secrets.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { costOf } from "../../support/records/costs.ts";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { tryPassword } from "../../support/requests/accounts.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import {
  familyOf,
  refreshWith as refresh,
  registerDevice,
  signInAs,
  signOutOf,
} from "../../support/requests/sessions.ts";
import { countedMetrics, loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";
import { tokensOf } from "../../support/workers/pushes.ts";
import { loosely } from "../../system/attacks/forged-tokens.ts";

useService();
const proxy = useNetwork();
const fault = { status: 400, body: { __type: "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException" } };
const password = "seven quiet harbours";

useSigningKey();
const own = useOwnUser(() => ({ password }));

const signedIn = () => signInAs(own.login, password);

/** The refresh token that one becomes. */
const next = async (token: string): Promise<string> => (await refresh(token)).body.token.refresh_token;

async function expectDead(...tokens: string[]): Promise<void> {
  for (const token of tokens) expectProblem(await refresh(token), 401, "refresh_token_invalid");
}

async function storedSession(refresh_token: string): Promise<StoredSession> {
  const session = await findSession(own.id, familyOf({ refresh_token }));
  if (!session) throw new Error("There is no session");
  return session;
}

describe("200", () => {
  test("D5: a refresh token becomes new tokens of the same session, in the body and as a bearer header", async () => {
    const before = await signedIn();
    loggedLines.length = 0;
    const { status, body, headers } = await refresh(before.refresh_token);
    expect(countedMetrics()).toEqual([]);
    const [access_token, refresh_token] = [expect.any(String), expect.any(String)];
    expect(status).toBe(200);
    expect(body).toEqual({ token: { access_token, token_type: "Bearer", expires_in: 900, refresh_token } });
    expect(body.token.refresh_token).not.toBe(before.refresh_token);
    expect(decodeJwt(body.token.access_token).sid).toBe(decodeJwt(before.access_token).sid);
    expect(headers.authorization).toBe(`Bearer ${body.token.access_token}`);
  });

  test("D5: an answer that was lost is given again for a minute, with the same refresh token, and counted", async () => {
    at("2026-03-01T09:00:00.000");
    const { refresh_token } = await signedIn();
    const successor = await next(refresh_token);
    at("2026-03-01T09:00:59.999");
    loggedLines.length = 0;
    const again = await refresh(refresh_token);
    expect(again.body.token.refresh_token).toBe(successor);
    expect(countedMetrics()).toEqual([{ RefreshesRepeated: 1 }]);
    expect(again.headers.authorization).toBe(`Bearer ${again.body.token.access_token}`);
    expect((await refresh(successor)).status).toBe(200);
  });

  test("D5: however often one number is repeated it counts once, and of 20 numbers a day each is repeated", async () => {
    at("2026-03-01T09:00:00.000");
    let { refresh_token } = await signedIn();
    for (let number = 1; number <= 20; number += 1) {
      const successor = await next(refresh_token);
      const times = number === 1 ? 22 : 1;
      for (let time = 0; time < times; time += 1) expect(await next(refresh_token)).toBe(successor);
      refresh_token = successor;
    }
    const successor = await next(refresh_token);
    loggedLines.length = 0;
    await expectDead(refresh_token);
    expect(countedMetrics()).toEqual([]);
    // The 21st ends nothing, and the next day has 20 of its own.
    at("2026-03-02T09:00:00.000");
    refresh_token = await next(successor);
    expect(await next(successor)).toBe(refresh_token);
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  test("D5: one refresh too early by another tab is refused and ends nothing; 60 seconds after the last renewal it ends the session", async () => {
    at("2026-03-01T09:00:00.000");
    const { refresh_token: first } = await signedIn();
    const second = await next(first);
    const third = await next(second);
    await expectDead(first, first);
    expect(await next(second)).toBe(third);
    at("2026-03-01T09:00:59.000");
    const fourth = await next(third);
    at("2026-03-01T09:01:58.999");
    await expectDead(first, second);
    expect(await next(third)).toBe(fourth);
    expect(await storedSession(first)).not.toHaveProperty("revoked");
    at("2026-03-01T09:02:00.000");
    await expectDead(first, fourth);
    expect(await storedSession(first)).toMatchObject({ revoked: true });
  });

  test("D5: of refreshes of all tokens of a session at once none ends it, and those that are answered agree", async () => {
    const tokens = [(await signedIn()).refresh_token];
    for (let round = 0; round < 3; round += 1) tokens.push(await next(tokens.at(-1) ?? ""));
    const newest = tokens.at(-1) ?? "";
    const answers = await Promise.all([...tokens, ...tokens, ...tokens].map((token) => refresh(token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 401]));
    const successor = await next(newest);
    const given = answers.flatMap(({ status, body }) => (status === 200 ? [body.token.refresh_token] : []));
    expect([newest, successor]).toEqual(expect.arrayContaining([...new Set(given)]));
    expect((await refresh(successor)).status).toBe(200);
  });

  test("D5: a client that is ahead of a table that was restored goes on, and is counted", async () => {
    const { refresh_token: first } = await signedIn();
    const backup = await storedSession(first);
    const second = await next(first);
    const third = await next(second);
    await putIf({ Item: { ...backup } });
    loggedLines.length = 0;
    const fourth = await next(third);
    expect(countedMetrics()).toEqual([{ RefreshesAhead: 1 }]);
    expect(await next(third)).toBe(fourth);
    expect((await refresh(fourth)).status).toBe(200);
    // The numbers of before are old now, whatever the restored table had of them.
    at(new Date(Date.now() + 60_000).toISOString().slice(0, -1));
    await expectDead(second, fourth);
  });

  test("D5: a refresh that fails before its end, or whose tokens cannot be signed, costs no token, however late it is repeated", async () => {
    const { refresh_token } = await signedIn();
    for (const action of ["GetItem", "UpdateItem"]) {
      proxy.fail(action, fault, 1);
      expect((await refresh(refresh_token)).status).toBe(500);
    }
    const keys = await readSigningKeys();
    await writeSigningKeys([]);
    expect((await refresh(refresh_token)).status).toBe(500);
    await writeSigningKeys(keys);
    at(new Date(Date.now() + 3_600_000).toISOString().slice(0, -1));
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  test("D5: a token counts for 30 days to the millisecond, its successor for 30 more; refused, it still proves its client (D10)", async () => {
    at("2026-03-01T09:00:00.000");
    const [one, other] = [await signedIn(), await signedIn()];
    at("2026-03-31T08:59:59.999");
    const renewed = await next(one.refresh_token);
    at("2026-03-31T09:00:00.000");
    await expectDead(other.refresh_token);
    for (let index = 0; index < 10; index += 1) await tryPassword(own.login, "wrong");
    expect((await tryPassword(own.login, password, { proof: other.refresh_token })).status).toBe(200);
    at("2026-04-30T08:59:59.998");
    expect((await refresh(renewed)).status).toBe(200);
  });

  test("D4, D35: an import ends no session, and the new access token says what the user is by now", async () => {
    const { refresh_token } = await signedIn();
    await store([userLine(own.id, { role: "client", financial_company_id: 2, password })]);
    const { access_token } = (await refresh(refresh_token)).body.token;
    expect(decodeJwt(access_token)).toMatchObject({ sub: String(own.id), role: "client", company: 2 });
  });
});

describe("401", () => {
  test("D5, D28: a token that was spent a minute ago ends its family, with its devices, and no other session", async () => {
    at("2026-03-01T09:00:00.000");
    const [stolen, other] = [await signedIn(), await signedIn()];
    await registerDevice(stolen, { token: `stolen-${own.id}` });
    await registerDevice(other, { token: `kept-${own.id}` });
    const newest = await next(stolen.refresh_token);
    at("2026-03-01T09:00:59.999");
    expect(await next(stolen.refresh_token)).toBe(newest);
    at("2026-03-01T09:01:00.000");
    proxy.fail("UpdateItem", fault, 1);
    expect((await refresh(stolen.refresh_token)).status).toBe(500);
    expect(await tokensOf(own.id)).toHaveLength(2);
    await expectDead(stolen.refresh_token, newest);
    expect(await tokensOf(own.id)).toEqual([`kept-${own.id}`]);
    expect((await refresh(other.refresh_token)).status).toBe(200);
  });

  test("D5, D14: signing out, a new password and the end of a family are not undone by a repeated refresh", async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    await signOutOf((await refresh(one.refresh_token)).body.token);
    await expectDead(one.refresh_token);
    await refresh(other.refresh_token);
    await store([userLine(own.id, { password: "another quiet harbour" })]);
    await expectDead(other.refresh_token, other.refresh_token);
    const { refresh_token } = await signInAs(own.login, "another quiet harbour");
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  test("D5: a token with another user, family, number or MAC, and whatever else is sent as one, ends nobody's session", async () => {
    await store([userLine(own.id + 500_000, { password })]);
    const { access_token, refresh_token: token } = await signedIn();
    const other = (await signInAs(`user-${own.id + 500_000}@example.com`, password)).refresh_token;
    const [user, family, ...rest] = token.split(".");
    const [otherUser, otherFamily] = other.split(".");
    const madeUp = { userId: own.id, family: "f".repeat(22), n: 1 };
    await expectDead(
      [otherUser, family, ...rest].join("."),
      [user, otherFamily, ...rest].join("."),
      [otherUser, otherFamily, ...rest].join("."),
      loosely(token),
      ` ${token} `,
      access_token,
      makeRefreshToken(madeUp, makeSeed(), await hmacKey()),
    );
    for (const live of [token, other]) expect((await refresh(live)).status).toBe(200);
  });

  test("D5: a number that is too high or too low, without a MAC of its own, ends nothing, in two reads at once", async () => {
    let { refresh_token } = await signedIn();
    const first = refresh_token;
    for (let round = 0; round < 3; round += 1) refresh_token = await next(refresh_token);
    for (const n of ["3", "5"]) {
      const forged = refresh_token.replace(/^([^.]*\.[^.]*)\.4\./, `$1.${n}.`);
      expect(forged).not.toBe(refresh_token);
      const cost = await costOf(() => expectDead(forged));
      expect(cost).toEqual({ readUnits: 2, writeUnits: 0, sequentialTrips: 1 });
    }
    await expectDead(first.replace(/.$/, (last) => (last === "A" ? "Q" : "A")));
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  test("D5, D10: the predecessor of a session that ended a moment ago is refused and ends nothing; later it is reuse", async () => {
    at("2026-03-01T09:00:00.000");
    const { refresh_token } = await signedIn();
    await signOutOf((await refresh(refresh_token)).body.token);
    await expectDead(refresh_token);
    expect(await storedSession(refresh_token)).not.toHaveProperty("revoked");
    at("2026-03-01T09:01:00.000");
    await expectDead(refresh_token);
    expect(await storedSession(refresh_token)).toMatchObject({ revoked: true });
  });
});
