import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { id } from "../../contract/values.ts";
import type { HmacKey } from "../../tokens/secrets.ts";

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
