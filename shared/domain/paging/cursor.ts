import { hash } from "node:crypto";

/**
 * An opaque place in a list that runs by descending id: just after `lastId`. It carries a digest of the operation and
 * its filters, and is never trusted for scope (D30).
 */
export function encodeCursor(lastId: number, filters: string): string {
  return Buffer.from(`${lastId}.${digest(filters)}`).toString("base64url");
}

/** The id a cursor stands after; undefined for a cursor that is malformed or of another list. */
export function decodeCursor(cursor: string, filters: string): number | undefined {
  const [, lastId, mark] = /^([1-9][0-9]{0,15})\.([\w-]{16})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  const isOwn = mark === digest(filters) && cursor === encodeCursor(Number(lastId), filters);
  return isOwn ? Number(lastId) : undefined;
}

function digest(filters: string): string {
  return hash("sha256", filters, "base64url").slice(0, 16);
}
