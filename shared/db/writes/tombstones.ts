import { anyOf, isAbsent } from "../table/conditions.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSeconds, epochSecondsAfter } from "../table/expiry.ts";
import type { Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";

/** The item that remains of a removed record. */
export interface Tombstone extends StoredItem {
  /** The version at which the record was removed (D35). */
  readonly version: number;
  readonly expires_at: number;
}

/** Start of a tombstone's sort key. */
export const tombstoneStart = "REMOVED#";

/** The entity of tombstones. */
export const tombstones = defineEntity<Tombstone>("tombstone", ({ sk }) => sk.startsWith(tombstoneStart));

/** Key of the tombstone of a record. */
export function tombstoneKey({ pk, sk }: Key): Key {
  return { pk, sk: `${tombstoneStart}${sk}` };
}

/** Days that a tombstone is kept for late lines about its record. No event bus or queue holds a line as long. */
export const tombstoneDays = 30;

/**
 * The key of a tombstone's record, and the time of its removal. An import may have removed the record later than this
 * time.
 */
export function removalOf({ pk, sk, expires_at }: Tombstone): { readonly removed: Key; readonly at: Date } {
  const at = new Date((expires_at - tombstoneDays * 24 * 60 * 60) * 1_000);
  return { removed: { pk, sk: sk.slice(tombstoneStart.length) }, at };
}

/** True if a record was removed at this version or a later one. An expired tombstone does not count. */
export function isRemovedAt(tombstone: Tombstone | undefined, version: number | null | undefined, now: Date): boolean {
  if (tombstone === undefined || typeof version !== "number") return false;
  return tombstone.version >= version && tombstone.expires_at > epochSeconds(now);
}

/** Stores the version at which a record was removed, unless a later removal is stored already. */
export function markRemoved(key: Key, version: number, now: Date): TransactionWrite {
  const tombstone = { ...tombstoneKey(key), version, expires_at: epochSecondsAfter(now, tombstoneDays) };
  return { Put: { Item: tombstones.encode(tombstone), ...unlessRemovedAt(version, now) } };
}

/** Stores that no line with a version may restore a record, whatever the version. */
export function markErased(key: Key, now: Date): TransactionWrite {
  const expires_at = epochSecondsAfter(now, tombstoneDays);
  return { Put: { Item: tombstones.encode({ ...tombstoneKey(key), version: Number.MAX_SAFE_INTEGER, expires_at }) } };
}

/** Deletes the tombstone of a record. Later lines are treated as if the record had never been removed. */
export function forgetRemoval(key: Key): TransactionWrite {
  return { Delete: { Key: tombstoneKey(key) } };
}

/** Makes a transaction depend on the record not having been removed at this version or a later one. */
export function requireNotRemoved(key: Key, version: number, now: Date): TransactionWrite {
  return { ConditionCheck: { Key: tombstoneKey(key), ...unlessRemovedAt(version, now) } };
}

function unlessRemovedAt(version: number, now: Date) {
  return {
    ConditionExpression: anyOf(isAbsent, "version < :version", "expires_at <= :now"),
    ExpressionAttributeValues: { ":version": version, ":now": epochSeconds(now) },
  };
}
