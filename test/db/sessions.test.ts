import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import {
  endedAt,
  endSession,
  openSession,
  revokeSession,
  rotateSession,
  sessionKey,
} from "../../shared/db/accounts/sessions.ts";
import { putIf } from "../../shared/db/table/conditional-writes.ts";
import { decryptSuccessor } from "../../shared/domain/accounts/encrypted-token.ts";
import { makeFamily, makeRefreshToken, parseRefreshToken } from "../../shared/domain/accounts/refresh-token.ts";
import { hashToken } from "../../shared/domain/token-hash.ts";
import { testChange } from "../support/records/contexts.ts";
import { contentOf } from "../support/records/items.ts";
import { readItem } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";
import { hmacKeyOf } from "../support/tokens/hmac-key.ts";

const key = hmacKeyOf("k".repeat(64));

useService();

const opened = new Date("2026-05-01T09:00:00.000Z");
const ends = new Date("2026-05-31T09:00:00.000Z");
const epoch = 3;

async function newSession() {
  const family = makeFamily(opened);
  const token = makeRefreshToken(7, family, key);
  await openSession(7, family, token, epoch, opened);
  return { family, token };
}

function newToken(family: string): string {
  return makeRefreshToken(7, family, key);
}

function rotate(token: string, next: string, now = opened, inEpoch = epoch) {
  const spent = parseRefreshToken(token, key);
  if (!spent) throw new Error("The token has no form");
  return rotateSession(spent, next, inEpoch, now);
}

test("D5: a session keeps the hash of its refresh token, the user's epoch and its end, and never the token", async () => {
  const { family, token } = await newSession();
  const stored = await readItem(sessionKey(7, family));
  expect(stored).toMatchObject({
    refresh_hash: createHash("sha256").update(token).digest("base64url"),
    epoch,
    valid_to: ends.toISOString(),
    expires_at: ends.getTime() / 1000 + 60 * 86_400,
  });
  expect(JSON.stringify(stored)).not.toContain(token);
});

const aMinuteLater = new Date(opened.getTime() + 60_000);

test("D5: a token is spent once, for the next one, and only in the epoch the session was opened in", async () => {
  const { family, token } = await newSession();
  const next = newToken(family);
  expect(await rotate(token, newToken(family), opened, epoch + 1)).toBeUndefined();
  expect(await rotate(token, next)).toBe(next);
  expect(await rotate(token, newToken(family), aMinuteLater)).toBeUndefined();
  const third = newToken(family);
  expect(await rotate(next, third, aMinuteLater)).toBe(third);
});

test("D5: a token counts until 30 days after it was given, to the millisecond", async () => {
  const [one, other] = [await newSession(), await newSession()];
  const justBefore = new Date(ends.getTime() - 1);
  expect(await rotate(one.token, newToken(one.family), justBefore)).toBeDefined();
  expect(await rotate(other.token, newToken(other.family), ends)).toBeUndefined();
});

test("D5: for 60 seconds a spent token gets the same successor, which moves no expiry", async () => {
  const { family, token } = await newSession();
  const next = newToken(family);
  await rotate(token, next);
  const before = await readItem(sessionKey(7, family));
  const justBefore = new Date(aMinuteLater.getTime() - 1);
  expect(await rotate(token, newToken(family), opened)).toBe(next);
  expect(await rotate(token, newToken(family), justBefore)).toBe(next);
  expect(contentOf((await readItem(sessionKey(7, family))) ?? {})).toEqual({
    ...contentOf(before ?? {}),
    repeats: { day: "2026-05-01", tokens: 1, hash: hashToken(token) },
  });
  expect(await rotate(token, newToken(family), aMinuteLater)).toBeUndefined();
});

test("D5: the table holds no token, and the predecessor alone decrypts its successor", async () => {
  const { family, token } = await newSession();
  const next = newToken(family);
  await rotate(token, next);
  const stored = await readItem(sessionKey(7, family));
  for (const secret of [token, next, next.split(".")[2]]) expect(JSON.stringify(stored)).not.toContain(secret);
  const { encrypted_successor, hash } = stored?.predecessor as Record<string, string>;
  if (!encrypted_successor || !hash) throw new Error("Nothing is encrypted");
  expect(decryptSuccessor(encrypted_successor, token)).toBe(next);
  expect(decryptSuccessor(encrypted_successor, next)).toBeUndefined();
  expect(decryptSuccessor(encrypted_successor, hash)).toBeUndefined();
  const changed = encrypted_successor.startsWith("A") ? "B" : "A";
  expect(decryptSuccessor(`${changed}${encrypted_successor.slice(1)}`, token)).toBeUndefined();
  expect(decryptSuccessor("", token)).toBeUndefined();
});

test("D5: once the successor is used, its predecessor gets nothing", async () => {
  const { family, token } = await newSession();
  const next = newToken(family);
  await rotate(token, next);
  await rotate(next, newToken(family));
  expect(await rotate(token, newToken(family))).toBeUndefined();
});

test("D5: the answers of 3 tokens of a family and day are repeated, and those of 3 more on the next day", async () => {
  const { family, token } = await newSession();
  let current = token;
  const repeatAt = async (now: Date) => {
    const [spent, next] = [current, newToken(family)];
    current = (await rotate(spent, next, now)) ?? "";
    const repeated = await rotate(spent, newToken(family), now);
    return repeated !== undefined && repeated === next;
  };
  const outcomes = [];
  for (let count = 0; count < 4; count += 1) outcomes.push(await repeatAt(opened));
  const nextDay = new Date(opened.getTime() + 86_400_000);
  for (let count = 0; count < 4; count += 1) outcomes.push(await repeatAt(nextDay));
  expect(outcomes).toEqual([true, true, true, false, true, true, true, false]);
});

test("D5: nothing is repeated in a session that was ended or in a later epoch", async () => {
  const { family, token } = await newSession();
  await rotate(token, newToken(family));
  expect(await rotate(token, newToken(family), opened, epoch + 1)).toBeUndefined();
  await endSession(7, family, testChange());
  expect(await rotate(token, newToken(family))).toBeUndefined();
});

test("D5: a spent token whose successor counts no more is given none again", async () => {
  const { family, token } = await newSession();
  await rotate(token, newToken(family));
  const [stored, key] = [await readItem(sessionKey(7, family)), sessionKey(7, family)];
  await putIf({ Item: { ...stored, ...key, refresh_hash: hashToken(newToken(family)) } });
  expect(await rotate(token, newToken(family))).toBeUndefined();
});

test("D5: the next token has 30 days of its own", async () => {
  const { family, token } = await newSession();
  await rotate(token, makeRefreshToken(7, family, key), new Date("2026-05-11T09:00:00.000Z"));
  expect((await readItem(sessionKey(7, family)))?.valid_to).toBe("2026-06-10T09:00:00.000Z");
});

test("D5: of 100 who spend one token at once all are given one successor", async () => {
  const { family, token } = await newSession();
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => rotate(token, newToken(family))));
  expect(new Set(outcomes).size).toBe(1);
  expect(outcomes[0]).toBeDefined();
});

test("D5, D10: a session that was ended keeps its newest token as a proof, which no request brings back, even of before", async () => {
  const { family, token } = await newSession();
  await endSession(7, family, testChange());
  for (const now of [opened, new Date(opened.getTime() - 10_000)]) {
    expect(await rotate(token, newToken(family), now)).toBeUndefined();
  }
  await endSession(7, family, testChange());
  expect(await readItem(sessionKey(7, family))).toMatchObject({ refresh_hash: hashToken(token), epoch });
});

test("D5: ending a session that is not there makes none", async () => {
  await endSession(7, "f".repeat(22), testChange());
  expect(await readItem(sessionKey(7, "f".repeat(22)))).toBeUndefined();
});

test("D5, D10: a spent token revokes its session, and so does one of an earlier epoch or of nobody; the last of a session does not", async () => {
  const { family, token } = await newSession();
  const next = newToken(family);
  await rotate(token, next);
  expect(await revoked(next, epoch)).toBe(false);
  expect(await readItem(sessionKey(7, family))).toBeDefined();
  expect(await revoked(token, epoch)).toBe(true);
  for (const current of [epoch + 1, undefined]) {
    const session = await newSession();
    expect(await revoked(session.token, current)).toBe(true);
    expect(await readItem(sessionKey(7, session.family))).toMatchObject({ revoked: true, valid_to: endedAt });
  }
  expect(await revoked(token, epoch)).toBe(true);
  expect(await revoked(newToken("f".repeat(22)), epoch)).toBe(true);
  expect(await readItem(sessionKey(7, "f".repeat(22)))).toBeUndefined();
});

async function revoked(token: string, current: number | undefined): Promise<boolean> {
  const spent = parseRefreshToken(token, key);
  if (!spent) throw new Error("The token has no form");
  return revokeSession(spent, current, testChange());
}

test("D5: ending one session leaves the user's others and other users' alone", async () => {
  const [one, other] = [await newSession(), await newSession()];
  await endSession(7, one.family, testChange());
  await endSession(8, other.family, testChange());
  expect(await rotate(other.token, newToken(other.family))).toBeDefined();
});

test("D5: another token of the family, or one of another user, does not renew it", async () => {
  const { family } = await newSession();
  expect(await rotate(makeRefreshToken(7, family, key), makeRefreshToken(7, family, key))).toBeUndefined();
  expect(await rotate(makeRefreshToken(8, family, key), makeRefreshToken(8, family, key))).toBeUndefined();
});
