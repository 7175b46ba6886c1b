import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { endSession, openSession, rotateSession, sessionKey } from "../../shared/db/accounts/sessions.ts";
import { makeFamily, makeRefreshToken, parseRefreshToken } from "../../shared/domain/accounts/refresh-token.ts";
import { readItem } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";
import { hmacKeyOf } from "../support/tokens/hmac-key.ts";

const key = hmacKeyOf("k".repeat(64));

useService();

const opened = new Date("2026-05-01T09:00:00.000Z");
const ends = new Date("2026-05-31T09:00:00.000Z");
const epoch = 3;

async function newSession() {
  const family = makeFamily();
  const token = makeRefreshToken(7, family, key);
  await openSession(7, family, token, epoch, opened);
  return { family, token };
}

function rotate(token: string, next: string, now = opened) {
  const spent = parseRefreshToken(token, key);
  if (!spent) throw new Error("The token has no form");
  return rotateSession(spent, next, now);
}

test("D5: a session keeps the hash of its refresh token, the user's epoch and its end, and never the token", async () => {
  const { family, token } = await newSession();
  const stored = await readItem(sessionKey(7, family));
  expect(stored).toMatchObject({
    refresh_hash: createHash("sha256").update(token).digest("base64url"),
    epoch,
    valid_to: ends.toISOString(),
    expires_at: ends.getTime() / 1000,
  });
  expect(JSON.stringify(stored)).not.toContain(token);
});

test("D5: a token is spent once, for the next one, and gives the epoch the session was opened in", async () => {
  const { family, token } = await newSession();
  const next = makeRefreshToken(7, family, key);
  expect(await rotate(token, next)).toEqual({ epoch });
  expect(await rotate(token, makeRefreshToken(7, family, key))).toBeUndefined();
  expect(await rotate(next, makeRefreshToken(7, family, key))).toEqual({ epoch });
});

test("D5: a token counts until 30 days after it was given, to the millisecond", async () => {
  const [one, other] = [await newSession(), await newSession()];
  const justBefore = new Date(ends.getTime() - 1);
  expect(await rotate(one.token, makeRefreshToken(7, one.family, key), justBefore)).toEqual({ epoch });
  expect(await rotate(other.token, makeRefreshToken(7, other.family, key), ends)).toBeUndefined();
});

test("D5: the next token has 30 days of its own", async () => {
  const { family, token } = await newSession();
  await rotate(token, makeRefreshToken(7, family, key), new Date("2026-05-11T09:00:00.000Z"));
  expect((await readItem(sessionKey(7, family)))?.valid_to).toBe("2026-06-10T09:00:00.000Z");
});

test("D5: of 100 who spend one token at once exactly one is given the session", async () => {
  const { family, token } = await newSession();
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, () => rotate(token, makeRefreshToken(7, family, key))),
  );
  expect(outcomes.filter(Boolean)).toHaveLength(1);
});

test("D5: a session that was ended is gone, with its newest token, and no token brings it back", async () => {
  const { family, token } = await newSession();
  await endSession(7, family);
  expect(await rotate(token, makeRefreshToken(7, family, key))).toBeUndefined();
  expect(await readItem(sessionKey(7, family))).toBeUndefined();
  await endSession(7, family);
});

test("D5: ending one session leaves the user's others and other users' alone", async () => {
  const [one, other] = [await newSession(), await newSession()];
  await endSession(7, one.family);
  await endSession(8, other.family);
  expect(await rotate(other.token, makeRefreshToken(7, other.family, key))).toEqual({ epoch });
});

test("D5: another token of the family, or one of another user, does not renew it", async () => {
  const { family } = await newSession();
  expect(await rotate(makeRefreshToken(7, family, key), makeRefreshToken(7, family, key))).toBeUndefined();
  expect(await rotate(makeRefreshToken(8, family, key), makeRefreshToken(8, family, key))).toBeUndefined();
});
