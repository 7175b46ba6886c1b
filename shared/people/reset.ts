import { msPerMinute } from "../contract/values.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import type { WriteContext } from "../table/plans.ts";
import { epochSeconds, type Key } from "../table/table.ts";
import { type TransactionWrite, transact, updateOf } from "../table/writes.ts";
import type { HmacKey } from "../tokens/secrets.ts";
import { pinRepeatMs } from "./pin-decisions.ts";
import type { PinHash } from "./pins.ts";
import { type Account, type AccountWithHash, findAccountWith, type Replacement, replacePassword } from "./users.ts";

/** The minutes for which a reset token is valid (D14). */
export const resetTokenLifeMinutes = 15;

/** The minutes for which a reset token proves that its client has confirmed a pin, spent or not (D10). */
export const resetTokenProvesMinutes = 60;

/**
 * The reset token of a pin that fits, 32 bytes in base64url: HMAC-SHA-256 over user, salt and pin. The salt is random, so
 * that nobody without the key can distinguish it from 32 random bytes; the same pin gives the same token again, and the store
 * needs to keep neither (D13, D14).
 */
export function resetTokenOf(pin: string, userId: number, { salt }: PinHash, key: HmacKey): string {
  return key.digest("reset-token", `${userId}|${salt}|${pin}`).toString("base64url");
}

/** A reset token as the table has it; its key holds its hash. */
interface StoredResetToken extends StoredItem {
  readonly user_id: number;
  readonly valid_to: string;
  /** Until when it proves that its client has confirmed a pin, in ISO 8601 (D10). */
  readonly proves_to: string;
  readonly expires_at: number;
  readonly spent_at?: string;
}

/** The entity of reset tokens. */
export const resetTokens = defineEntity<StoredResetToken>("reset token", ({ sk }) => sk === "RESET");

/** A reset token that still counts: for a new password, or for the same answer to a client that sets the same one again (D14). */
interface FoundResetToken {
  /** With the hash of the password. */
  readonly account: AccountWithHash;
  readonly isSpent: boolean;
}

/**
 * Access pattern A3: the user a reset token was given to, while it counts or was spent within the last minute; undefined
 * otherwise (D14). Five read units, two round trips.
 */
export async function findResetToken(hash: string, now: Date): Promise<FoundResetToken | undefined> {
  const token = await resetTokens.find(resetTokenKey(hash), { consistent: true });
  if (!token || token.valid_to <= now.toISOString()) return undefined;
  const isSpent = token.spent_at !== undefined;
  if (token.spent_at !== undefined && now.getTime() - Date.parse(token.spent_at) >= pinRepeatMs) return undefined;
  const account = await findAccountWith("password", token.user_id);
  return account && { account, isSpent };
}

/**
 * Access pattern A6: the id of the user that a reset token was given to in the last hour, whether it is spent or not.
 * Undefined otherwise. One read unit.
 */
export async function findConfirmedUserId(hash: string, now: Date): Promise<number | undefined> {
  const token = await resetTokens.find(resetTokenKey(hash), { consistent: true });
  return token && now.toISOString() < token.proves_to ? token.user_id : undefined;
}

/**
 * Access pattern A4: spends a reset token that was found to count for a new password, and ends every session of the user, all
 * or nothing. False if the token was spent or replaced meanwhile (D14); undefined if others wrote the user. One transaction of
 * 3 writes.
 */
export async function changePassword(
  { stored, resetHash }: Account,
  token: string,
  password: Replacement,
  context: WriteContext,
): Promise<boolean | undefined> {
  if (resetHash !== token) return false;
  const changes = { where: { user_id: stored.id, spent_at: undefined }, set: { spent_at: context.now.toISOString() } };
  const failed = await transact([
    { Update: updateOf(resetTokenKey(token), changes) },
    ...replacePassword(stored, password, context),
  ]);
  if (failed.length === 0) return true;
  return failed.includes(0) ? false : undefined;
}

/** The write that stores a reset token, beside that which gives it to its user. */
export function putResetToken(userId: number, hash: string, now: Date): TransactionWrite {
  const validTo = new Date(now.getTime() + resetTokenLifeMinutes * msPerMinute);
  const provesTo = new Date(now.getTime() + resetTokenProvesMinutes * msPerMinute);
  const life = {
    valid_to: validTo.toISOString(),
    proves_to: provesTo.toISOString(),
    expires_at: epochSeconds(provesTo),
  };
  return { Put: { Item: resetTokens.encode({ ...resetTokenKey(hash), user_id: userId, ...life }) } };
}

function resetTokenKey(hash: string): Key {
  return { pk: `RESET#${hash}`, sk: "RESET" };
}
