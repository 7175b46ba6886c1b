import { createHash, randomBytes } from "node:crypto";

/** How long a reset token counts (D14). */
export const resetTokenLifeMinutes = 15;

/** 32 random bytes, base64url (D14). */
export function makeResetToken(): string {
  return randomBytes(32).toString("base64url");
}

/** SHA-256 of a token as the store keeps it, base64url. */
export function hashResetToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
