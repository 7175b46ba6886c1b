import { hash } from "node:crypto";

/** An opaque place in a list: just after `lastId`, with a digest of its fingerprint; never trusted for scope (D30). */
export function encodeCursor(lastId: number, fingerprint: string): string {
  return Buffer.from(`${lastId}.${digest(fingerprint)}`).toString("base64url");
}

/** The id a cursor stands after; undefined for a cursor that is malformed or of another list. */
export function decodeCursor(cursor: string, fingerprint: string): number | undefined {
  const [, lastId, own] = /^([1-9][0-9]{0,15})\.([\w-]{16})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  const isOwn = own === digest(fingerprint) && cursor === encodeCursor(Number(lastId), fingerprint);
  return isOwn ? Number(lastId) : undefined;
}

function digest(fingerprint: string): string {
  return hash("sha256", fingerprint, "base64url").slice(0, 16);
}
