import { createHash, randomBytes } from "node:crypto";
import * as v from "valibot";
import { id } from "../contract/values.ts";

/** How long a refresh token counts (D5). */
export const refreshTokenLifeDays = 30;

/** A refresh token taken apart: whose session it renews, and the hash the store compares. */
export interface RefreshToken {
  readonly userId: number;
  readonly family: string;
  /** SHA-256 of the whole token, base64url. */
  readonly hash: string;
}

/** A new session family: 16 random bytes, base64url. */
export function makeFamily(): string {
  return randomBytes(16).toString("base64url");
}

/** A new token of a family: the user's id, the family and 32 random bytes, base64url. */
export function makeRefreshToken(userId: number, family: string): string {
  return `${userId}.${family}.${randomBytes(32).toString("base64url")}`;
}

/** Takes a token apart; undefined when it does not have the form of one. */
export function parseRefreshToken(token: string): RefreshToken | undefined {
  const [, user, family = ""] = /^([1-9][0-9]{0,15})\.([\w-]{22})\.[\w-]{43}$/.exec(token) ?? [];
  const userId = Number(user);
  return v.is(id, userId) ? { userId, family, hash: hashRefreshToken(token) } : undefined;
}

/** SHA-256 of a token as the store keeps it, base64url. */
export function hashRefreshToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
