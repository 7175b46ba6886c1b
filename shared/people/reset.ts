import { msPerMinute } from "../contract/values.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSeconds, type Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/writes.ts";
import type { HmacKey } from "../tokens/secrets.ts";
import type { PinHash } from "./pins.ts";

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

/**
 * Access pattern A6: the id of the user that a reset token was given to in the last hour, whether it is spent or not.
 * Undefined otherwise. One read unit.
 */
export async function findConfirmedUserId(hash: string, now: Date): Promise<number | undefined> {
  const token = await resetTokens.find(resetTokenKey(hash), { consistent: true });
  return token && now.toISOString() < token.proves_to ? token.user_id : undefined;
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

export function resetTokenKey(hash: string): Key {
  return { pk: `RESET#${hash}`, sk: "RESET" };
}
