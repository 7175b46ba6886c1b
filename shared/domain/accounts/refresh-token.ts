import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { id } from "../../contract/values.ts";
import type { HmacKey } from "../hmac-key.ts";
import { hashToken } from "../token-hash.ts";

/** How long a refresh token counts (D5). */
export const refreshTokenLifeDays = 30;

/** A refresh token taken apart: whose session it renews, and the hash the store compares. */
export interface RefreshToken {
  /** The whole token. */
  readonly text: string;
  readonly userId: number;
  readonly family: string;
  /** SHA-256 of the whole token, base64url. */
  readonly hash: string;
}

/** A new session family, 22 characters: the second in which it was made, by which families sort, and 80 random bits. */
export function makeFamily(now: Date): string {
  const second = Math.floor(now.getTime() / 1_000).toString(16);
  return `${second.padStart(8, "0")}${randomBytes(10).toString("base64url")}`;
}

/** A new token of a family: the user's id, the family, 32 random bytes, and a MAC that only the key's owner can make. */
export function makeRefreshToken(userId: number, family: string, key: HmacKey): string {
  const payload = `${userId}.${family}.${randomBytes(32).toString("base64url")}`;
  return `${payload}.${key.sign("refresh", payload, macBytes)}`;
}

/**
 * Takes a token apart; undefined when it was not made here. A session ends when one of its spent tokens comes again: only
 * the MAC distinguishes a spent token from one that somebody made up to end it.
 */
export function parseRefreshToken(token: string, key: HmacKey): RefreshToken | undefined {
  const [, payload = "", user, family = "", mac = ""] = tokenForm.exec(token) ?? [];
  const userId = Number(user);
  const isOwn = key.verify("refresh", payload, mac, macBytes);
  return isOwn && v.is(id, userId) ? { text: token, userId, family, hash: hashToken(token) } : undefined;
}

const tokenForm = /^(([1-9][0-9]{0,15})\.([\w-]{22})\.[\w-]{43})\.([1-9][0-9]{0,8}\.[\w-]{22})$/;
const macBytes = 16;
