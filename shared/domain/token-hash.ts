import { createHash } from "node:crypto";

/** SHA-256 of a token as the store keeps it, base64url. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
