import { randomBytes } from "node:crypto";
import * as v from "valibot";
import type { Caller } from "../contract/operation.ts";
import { Refusal } from "../contract/refusals.ts";
import { id, msPerDay } from "../contract/values.ts";
import type { Change } from "../run/change.ts";
import { settings } from "../run/settings.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter, type Key, type StampedChange } from "../table/table.ts";
import { ifAbsent, isThere, putIf, type TransactionWrite, updateIf } from "../table/writes.ts";
import type { HmacKey } from "../tokens/secrets.ts";
import { type Account, findAccount } from "./users.ts";

/** The days for which a refresh token is valid (D5). */
export const refreshTokenLifeDays = 30;

/** The number of a session's first refresh token. */
export const firstNumber = 1;

/** The place of a refresh token: the session that it renews, and its number there. */
export interface RefreshPlace {
  readonly userId: number;
  readonly family: string;
  /** Each renewal gives the next number. */
  readonly n: number;
}

/** A refresh token taken apart. Only `isGenuine` shows whether the service made it. */
export interface RefreshToken extends RefreshPlace {
  readonly mac: string;
}

/** A new session family, 22 characters: the second in which it was made, by which families sort, and 80 random bits. */
export function makeFamily(now: Date): string {
  const second = Math.floor(now.getTime() / 1_000).toString(16);
  return `${second.padStart(8, "0")}${randomBytes(10).toString("base64url")}`;
}

/** A new session's seed. Its refresh tokens need the seed and the key: neither the table nor the key alone makes one. */
export function makeSeed(): string {
  return randomBytes(16).toString("base64url");
}

/** The refresh token of a place: the user's id, the family, the number and a MAC. It is the same whenever it is made. */
export function makeRefreshToken(place: RefreshPlace, seed: string, key: HmacKey): string {
  return `${payloadOf(place)}.${key.sign("refresh", signedText(place, seed), macBytes)}`;
}

/** Takes a text apart that has the form of a refresh token; undefined for any other. */
export function parseRefreshToken(text: string): RefreshToken | undefined {
  const [, user, family = "", number, mac = ""] = tokenForm.exec(text) ?? [];
  const userId = Number(user);
  return v.is(id, userId) ? { userId, family, n: Number(number), mac } : undefined;
}

/**
 * True if the service made the token, from the seed of its session. A session ends when one of its old tokens comes
 * again: only the MAC distinguishes an old token from one that somebody made up to end it.
 */
export function isGenuine(token: RefreshToken, seed: string, key: HmacKey): boolean {
  return key.verify("refresh", signedText(token, seed), token.mac, macBytes);
}

/** The name of what proves a session: all of it shares the session's passwords of a day (D15). */
export function sessionProofName(userId: number, session: string): string {
  return `session|${userId}|${session}`;
}

/** A session's part in what its refresh tokens prove. */
interface ProvenSession {
  readonly n: number;
  readonly seed: string;
  readonly revoked?: boolean;
}

/**
 * True if a token proves that its client was signed in before (D10): it is the session's last one, and neither reuse nor
 * another session ended the session. Its number may be above the stored one, which a restored table lost. The caller
 * compares the session's epoch, and the session is kept for 60 days beyond its expiry.
 */
export function isProofOfSession(token: RefreshToken, session: ProvenSession, key: HmacKey): boolean {
  return !session.revoked && token.n >= session.n && isGenuine(token, session.seed, key);
}

function signedText(place: RefreshPlace, seed: string): string {
  return `${payloadOf(place)}|${seed}`;
}

function payloadOf({ userId, family, n }: RefreshPlace): string {
  return `${userId}.${family}.${n}`;
}

const tokenForm = /^([1-9][0-9]{0,15})\.([\w-]{22})\.([1-9][0-9]{0,8})\.([1-9][0-9]{0,8}\.[\w-]{22})$/;

/** 128 bits: nobody guesses one. */
const macBytes = 16;

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

/** When a session is valid to that was ended: earlier than the clock of any request that is under way. */
export const endedAt = new Date(0).toISOString();

/** The condition on a stored session. Its epoch never changes: whoever has read the session has compared it. */
export const isValid = "valid_to > :now";

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
function requireLive(userId: number, family: string, now: Date): TransactionWrite {
  const ExpressionAttributeValues = { ":now": now.toISOString() };
  const Key = { ...sessionKey(userId, family) };
  return { ConditionCheck: { Key, ConditionExpression: isValid, ExpressionAttributeValues } };
}

/** A session has a whole life from each renewal on. */
export function renewal(now: Date) {
  const validTo = new Date(now.getTime() + refreshTokenLifeDays * msPerDay);
  return {
    renewed_at: now.toISOString(),
    valid_to: validTo.toISOString(),
    expires_at: epochSecondsAfter(validTo, provesDays),
  };
}

/**
 * The account of a caller whose session is live. Refuses as `token_invalid` if the user has been removed, or the session
 * has ended or has an earlier epoch, even while the access token is valid (D14, D28). Two read units, one round trip.
 */
export function requireSession(caller: Caller, now: Date): Promise<Account> {
  return findLive(caller, findAccount, now);
}

/**
 * The account of a caller who may act: the user still has the role and company of the access token, and the session has
 * not ended, also not by a new password. Refuses others as `token_invalid`: a token outlives all this by minutes, which is
 * enough to read by (D4, D19). One read unit beside `findActor`, in the same round trip. A stage with an external issuer
 * checks user, role and company alone.
 */
export async function requireActing<A extends Account>(
  caller: Caller,
  findActor: (userId: number) => Promise<A | undefined>,
  now: Date,
): Promise<A> {
  const account = await findLive(caller, findActor, now);
  const { role, financial_company_id } = account.user;
  if (role === caller.role && financial_company_id === caller.companyId) return account;
  throw new Refusal("token_invalid", "The user of this access token has another role or company");
}

/** The session of a caller, as a write within it needs it. */
interface CallerSession {
  /** The session family; undefined if the stage has an external issuer. */
  readonly family: string | undefined;
  /** Writes that check in a transaction that the session has not ended meanwhile. */
  readonly checks: readonly TransactionWrite[];
}

/** The session of a caller, which was found live. */
export function sessionOf({ userId, sessionId }: Caller, now: Date): CallerSession {
  if (!hasSessions()) return { family: undefined, checks: [] };
  return { family: sessionId, checks: [requireLive(userId, sessionId, now)] };
}

/** The account of a caller whose session is live, if the stage has sessions. */
async function findLive<A extends Account>(
  { userId, sessionId }: Caller,
  find: (userId: number) => Promise<A | undefined>,
  now: Date,
): Promise<A> {
  const [account, session] = await Promise.all([
    find(userId),
    hasSessions() ? findSession(userId, sessionId) : undefined,
  ]);
  if (!account) throw sessionEnded();
  if (hasSessions() && !(session && isLiveSession(session, account.epoch, now))) throw sessionEnded();
  return account;
}

function hasSessions(): boolean {
  return settings.oidcIssuer() === undefined;
}

/** The refusal of an access token whose session has ended. */
export function sessionEnded(): Refusal {
  return new Refusal("token_invalid", "The session of this access token has ended");
}
