import type { HmacKey } from "../../tokens/secrets.ts";
import type { PinHash } from "./pin.ts";

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
