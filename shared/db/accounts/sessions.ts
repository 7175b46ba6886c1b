import { decryptSuccessor, encryptSuccessor } from "../../domain/accounts/encrypted-token.ts";
import { type RefreshToken, refreshTokenLifeDays } from "../../domain/accounts/refresh-token.ts";
import type { Change } from "../../domain/records/change.ts";
import { hashToken } from "../../domain/token-hash.ts";
import type { StoredChange } from "../table/change-stamps.ts";
import { putIf, tryUpdate, updateIf } from "../table/conditional-writes.ts";
import { allOf, anyOf, ifAbsent, isThere, lacks } from "../table/conditions.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import { type Key, queryPage } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";

/** A session family as the table has it. */
export interface StoredSession extends StoredItem {
  /** The hash of the refresh token that counts. */
  readonly refresh_hash: string;
  /** The user's epoch it was opened in; a user whose epoch has risen since has left it (D14). */
  readonly epoch: number;
  /** When it expires; the beginning of 1970 once its user has signed out. */
  readonly valid_to: string;
  readonly expires_at: number;
  /** Its user ended it from another session: its last token proves nothing (D10). */
  readonly revoked?: true;
  /** What its end says of itself. */
  readonly change?: StoredChange | undefined;
  /** When its user signed in. */
  readonly opened_at: string;
  /** The token that was spent for the one that counts; absent before the first rotation. */
  readonly predecessor?: {
    readonly hash: string;
    readonly spent_at: string;
    /** Its successor, which only the predecessor itself decrypts (D5). */
    readonly encrypted_successor: string;
  };
  /** For how many tokens of a day an answer was repeated, and the hash of the last of them. */
  readonly repeats?: { readonly day: string; readonly tokens: number; readonly hash: string };
}

/** The entity of session families. */
export const sessions = defineEntity<StoredSession>(
  "session",
  ({ pk, sk }) => pk.startsWith("USER#") && sk.startsWith("SESSION#"),
);

const msPerDay = 86_400_000;
/** So long after its end a session's last token proves that a client was there before (D10). */
const provesDays = 60;
/** How long, and for how many tokens of a family and day, a client that lost an answer gets it again (D5). */
const repeatMs = 60_000;
const maxRepeatsPerDay = 3;

/** When a session is valid to that was ended: earlier than the clock of any request that is under way. */
export const endedAt = new Date(0).toISOString();

/** Conditions on a stored session. */
const isValid = "valid_to > :now";
const isOfEpoch = "epoch = :epoch";
const isOfOtherEpoch = "epoch <> :epoch";
const hasOtherToken = "refresh_hash <> :hash";

/** Key of a session family. */
export function sessionKey(userId: number, family: string): Key {
  return { pk: `USER#${userId}`, sk: `SESSION#${family}` };
}

/** Access pattern S1: opens a session family with its first refresh token. One write unit. */
export async function openSession(userId: number, family: string, token: string, epoch: number, now: Date) {
  const refresh_hash = hashToken(token);
  const opened = { ...sessionKey(userId, family), refresh_hash, epoch, opened_at: now.toISOString(), ...expiry(now) };
  await putIf({ Item: sessions.encode(opened), ...ifAbsent });
}

/** Access pattern S4: a session family for 60 days beyond its expiry, ended or not. One read unit. */
export function findSession(userId: number, family: string): Promise<StoredSession | undefined> {
  return sessions.find(sessionKey(userId, family), { consistent: true });
}

/**
 * Access pattern S2: spends a refresh token for the next one of its family, in the user's epoch, and gives the one that
 * counts then. That is the first successor again where the token was spent less than 60 seconds ago for a successor that
 * is unused: the answer was lost, or several asked at once. Undefined when the token is spent, expired or unknown (D5).
 * One write unit, two for the first repetition of a token.
 */
export async function rotateSession(
  spent: RefreshToken,
  next: string,
  epoch: number,
  now: Date,
): Promise<string | undefined> {
  const key = sessionKey(spent.userId, spent.family);
  const where = { refresh_hash: spent.hash, epoch };
  const predecessor = {
    hash: spent.hash,
    spent_at: now.toISOString(),
    encrypted_successor: encryptSuccessor(next, spent.text),
  };
  const set = { refresh_hash: hashToken(next), predecessor, ...expiry(now) };
  const condition = { where, when: isValid, values: { ":now": now.toISOString() } };
  const { isWritten, item } = await tryUpdate(key, { ...condition, set });
  if (isWritten) return next;
  const session = item && sessions.decode(item);
  return session && isLive(session, epoch, now) ? repeatRotation(key, session, spent, now) : undefined;
}

/** The successor of a token that was spent a moment ago, while it is the one that counts. */
async function repeatRotation(
  key: Key,
  session: StoredSession,
  spent: RefreshToken,
  now: Date,
): Promise<string | undefined> {
  const { predecessor, refresh_hash } = session;
  if (predecessor?.hash !== spent.hash) return undefined;
  if (now.getTime() - Date.parse(predecessor.spent_at) >= repeatMs) return undefined;
  const successor = decryptSuccessor(predecessor.encrypted_successor, spent.text);
  if (successor === undefined || hashToken(successor) !== refresh_hash) return undefined;
  return (await countRepeat(key, session, spent.hash, now)) ? successor : undefined;
}

/** Counts a token whose answer is repeated, however often it is; false when there were too many that day, or it counts no more. */
async function countRepeat(key: Key, session: StoredSession, hash: string, now: Date): Promise<boolean> {
  const { repeats, refresh_hash } = session;
  if (repeats?.hash === hash) return true;
  const day = now.toISOString().slice(0, 10);
  const tokens = repeats?.day === day ? repeats.tokens : 0;
  if (tokens >= maxRepeatsPerDay) return false;
  const { isWritten, item } = await tryUpdate(key, {
    where: { refresh_hash, ...(repeats && { repeats }) },
    ...(!repeats && { when: lacks("repeats") }),
    set: { repeats: { day, tokens: tokens + 1, hash } },
  });
  const found = item && sessions.decode(item);
  return isWritten || (found?.refresh_hash === refresh_hash && found.repeats?.hash === hash);
}

/** So many sessions of a user are read, those that were opened last: programs may sign in every minute. */
const mostRead = 1_000;

/**
 * Access pattern S6: which session families of a user have not ended, of whatever epoch, among the 1,000 that were opened last, the
 * latest refreshed first. Half a read unit for 4 KB of the sessions of the last 90 days, live or not, up to 1,000; one round trip.
 */
export async function findUnexpiredSessions(userId: number, now: Date): Promise<readonly StoredSession[]> {
  const { items } = await queryPage({
    ScanIndexForward: false,
    Limit: mostRead,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :session)",
    FilterExpression: "valid_to > :now",
    ExpressionAttributeValues: {
      ":pk": sessionKey(userId, "").pk,
      ":session": sessionKey(userId, "").sk,
      ":now": now.toISOString(),
    },
  });
  return items.map(sessions.decode).toSorted((one, other) => (one.valid_to < other.valid_to ? 1 : -1));
}

/** The family that a stored session is. */
export function familyOf({ sk }: StoredSession): string {
  return sk.slice(sk.indexOf("#") + 1);
}

/** When a session was opened or renewed last: each renewal gives it a whole life. */
export function refreshedAt({ valid_to }: StoredSession): Date {
  return new Date(Date.parse(valid_to) - refreshTokenLifeDays * msPerDay);
}

/**
 * Access pattern S3: ends a session family, if there is one: false where there is none. Its last token still proves that the
 * client was there before, unless it is revoked (D10). One write unit.
 */
export async function endSession(
  userId: number,
  family: string,
  change: Change,
  { revoked = false } = {},
): Promise<boolean> {
  const changes = { when: isThere, ...endOf(change, revoked) };
  return (await updateIf(sessionKey(userId, family), changes)) !== undefined;
}

function endOf(change: Change, revoked: boolean) {
  return { set: { valid_to: endedAt, ...(revoked && { revoked }), change }, remove: ["predecessor"] };
}

/**
 * Access pattern S5: ends a session family whose token was spent before: it proves nothing any more (D5). False where the
 * token is the last of its family, in the user's epoch, which has merely expired or been signed out of. One write unit.
 */
export async function revokeSession(
  { userId, family, hash }: RefreshToken,
  epoch: number | undefined,
  change: Change,
): Promise<boolean> {
  const when = allOf(isThere, anyOf(hasOtherToken, isOfOtherEpoch));
  const values = { ":hash": hash, ":epoch": epoch ?? null };
  const { isWritten, item } = await tryUpdate(sessionKey(userId, family), { when, values, ...endOf(change, true) });
  return isWritten || item === undefined;
}

/** True while a session can be renewed, in the user's epoch. */
export function isLive(session: StoredSession, epoch: number, now: Date): boolean {
  return session.epoch === epoch && session.valid_to > now.toISOString();
}

/** The check of a transaction that a session is live, in the user's epoch. */
export function requireLive(userId: number, family: string, epoch: number, now: Date): TransactionWrite {
  const ExpressionAttributeValues = { ":epoch": epoch, ":now": now.toISOString() };
  const ConditionExpression = allOf(isOfEpoch, isValid);
  return { ConditionCheck: { Key: { ...sessionKey(userId, family) }, ConditionExpression, ExpressionAttributeValues } };
}

function expiry(now: Date) {
  const validTo = new Date(now.getTime() + refreshTokenLifeDays * msPerDay);
  return { valid_to: validTo.toISOString(), expires_at: epochSecondsAfter(validTo, provesDays) };
}
