import { hash } from "node:crypto";

/**
 * An opaque position in a list: just after `lastId`, with a digest of its fingerprint. Never trusted for scope (D30).
 */
export function encodeCursor(lastId: number, fingerprint: string): string {
  return Buffer.from(`${lastId}.${digest(fingerprint)}`).toString("base64url");
}

/** The id before the cursor's position; undefined for a malformed cursor or another list's. */
export function decodeCursor(cursor: string, fingerprint: string): number | undefined {
  const [, lastId, own] = /^([1-9][0-9]{0,15})\.([\w-]{16})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  const isOwn = own === digest(fingerprint) && cursor === encodeCursor(Number(lastId), fingerprint);
  return isOwn ? Number(lastId) : undefined;
}

function digest(fingerprint: string): string {
  return hash("sha256", fingerprint, "base64url").slice(0, 16);
}
