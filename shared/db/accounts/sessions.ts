import type { Change } from "../../contract/operation.ts";
import { msPerDay } from "../../contract/values.ts";
import { firstNumber, type RefreshPlace, refreshTokenLifeDays } from "../../domain/accounts/refresh-token.ts";
import { defineEntity, type StoredItem } from "../../table/entity.ts";
import type { Key, StampedChange } from "../../table/table.ts";
import { epochSecondsAfter, queryPage } from "../../table/table.ts";
import type { TransactionWrite } from "../../table/writes.ts";
import { allOf, ifAbsent, isThere, putIf, tryUpdate, updateIf } from "../../table/writes.ts";

/** A session family as the table has it. */
export interface StoredSession extends StoredItem {
  /** The number of the refresh token that counts: those above it were given before the table was restored (D5). */
  readonly n: number;
  /** The part of its refresh tokens that the HMAC key does not give. */
  readonly seed: string;
  /** The user's epoch it was opened in; a user whose epoch has risen since has left it (D14). */
  readonly epoch: number;
  /** When its user signed in. */
  readonly opened_at: string;
  /** When it was opened or renewed last. */
  readonly renewed_at: string;
  /** When it expires; the beginning of 1970 once its user has signed out. */
  readonly valid_to: string;
  readonly expires_at: number;
  /** Its user ended it from another session, or reuse did: its last token proves nothing (D10). */
  readonly revoked?: true;
  /** The change that ended it. */
  readonly change?: StampedChange | undefined;
}

/** The entity of session families. */
export const sessions = defineEntity<StoredSession>("session", ({ sk }) => sk.startsWith("SESSION#"));

/** So long after its end a session's last token proves that a client was there before (D10). */
export const provesDays = 60;
/**
 * So long after a renewal a spent token ends nothing, because an answer was lost or several requests came at once: the last
 * one is answered again, older ones are refused (D5).
 */
const renewalRepeatMs = 60_000;

/** When a session is valid to that was ended: earlier than the clock of any request that is under way. */
export const endedAt = new Date(0).toISOString();

/** Conditions on a stored session. Its epoch never changes: whoever has read the session has compared it. */
const isValid = "valid_to > :now";
const isNotAbove = "n <= :n";

/** Key of a session family. */
export function sessionKey(userId: number, family: string): Key {
  return { pk: `USER#${userId}`, sk: `SESSION#${family}` };
}

/** Access pattern S1: opens a session family, whose first refresh token counts. One write unit. */
export async function openSession(userId: number, family: string, seed: string, epoch: number, now: Date) {
  const opened_at = now.toISOString();
  const opened = { ...sessionKey(userId, family), n: firstNumber, seed, epoch, opened_at, ...renewal(now) };
  await putIf({ Item: sessions.encode(opened), ...ifAbsent });
}

/** Access pattern S4: a session family for 60 days beyond its expiry, ended or not. One read unit. */
export function findSession(userId: number, family: string): Promise<StoredSession | undefined> {
  return sessions.find(sessionKey(userId, family), { consistent: true });
}

/** The fate of a genuine refresh token: it renews its session, is answered again, is reused, or is refused. */
export type RefreshOutcome = "renewed" | "repeated" | "reused" | "refused";

/**
 * Access pattern S2: renews a session that was read, in the user's epoch. Then the token's successor counts. For 60
 * seconds the predecessor of the token that counts is `repeated`, and older ones are `refused`; later all are `reused`
 * (D5). One write unit; none if the session as it was read already decides.
 */
export async function rotateSession(
  { userId, family, n }: RefreshPlace,
  session: StoredSession,
  epoch: number | undefined,
  now: Date,
): Promise<RefreshOutcome> {
  const seen = outcomeOf(n, session, epoch, now);
  if (seen !== "renewed") return seen;
  const { isWritten, item } = await tryUpdate(sessionKey(userId, family), {
    when: allOf(isValid, isNotAbove),
    values: { ":n": n, ":now": now.toISOString() },
    set: { n: n + 1, ...renewal(now) },
  });
  if (isWritten) return "renewed";
  return item ? outcomeOf(n, sessions.decode(item), epoch, now) : "refused";
}

/** A number above the stored one renews as well: the service gave it before the table was restored, as the MAC proves. */
function outcomeOf(n: number, session: StoredSession, epoch: number | undefined, now: Date): RefreshOutcome {
  const isRecent = now.getTime() - Date.parse(session.renewed_at) < renewalRepeatMs;
  if (n < session.n && !isRecent) return "reused";
  if (n < session.n - 1 || !isLiveSession(session, epoch, now)) return "refused";
  return n === session.n - 1 ? "repeated" : "renewed";
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

/**
 * Access pattern S3: ends a session family, if there is one: false if there is none. Its last token still proves that the
 * client was there before, unless it is revoked (D10). One write unit.
 */
export async function endSessionFamily(
  userId: number,
  family: string,
  change: Change,
  { revoked = false } = {},
): Promise<boolean> {
  const set = { valid_to: endedAt, ...(revoked && { revoked }), change };
  return (await updateIf(sessionKey(userId, family), { when: isThere, set })) !== undefined;
}

/** True while a session can be renewed, in the user's epoch. */
export function isLiveSession(session: StoredSession, epoch: number | undefined, now: Date): boolean {
  return session.epoch === epoch && session.valid_to > now.toISOString();
}

/** The check of a transaction that a session which was found live has not ended since. */
export function requireLive(userId: number, family: string, now: Date): TransactionWrite {
  const ExpressionAttributeValues = { ":now": now.toISOString() };
  const Key = { ...sessionKey(userId, family) };
  return { ConditionCheck: { Key, ConditionExpression: isValid, ExpressionAttributeValues } };
}

/** A session has a whole life from each renewal on. */
function renewal(now: Date) {
  const validTo = new Date(now.getTime() + refreshTokenLifeDays * msPerDay);
  return {
    renewed_at: now.toISOString(),
    valid_to: validTo.toISOString(),
    expires_at: epochSecondsAfter(validTo, provesDays),
  };
}
