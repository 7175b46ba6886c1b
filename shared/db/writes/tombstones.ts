import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSeconds, epochSecondsAfter } from "../table/expiry.ts";
import type { Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";

/** What is left of a removed record. */
export interface Tombstone extends StoredItem {
  /** The version that the record was removed at (D35). */
  readonly version: number;
  readonly expires_at: number;
}

/** How the sort key of a tombstone begins. */
export const tombstoneStart = "REMOVED#";

/** The entity of tombstones. */
export const tombstones = defineEntity<Tombstone>("tombstone", ({ sk }) => sk.startsWith(tombstoneStart));

/** Key of the tombstone of a record. */
export function tombstoneKey({ pk, sk }: Key): Key {
  return { pk, sk: `${tombstoneStart}${sk}` };
}

/** How many days a removal outlives lines about the record that come late; event buses and queues hold none for as long. */
export const tombstoneDays = 30;

/** The key of the record that a tombstone is of, and when it was removed: an import may have removed it later than it says. */
export function removalOf({ pk, sk, expires_at }: Tombstone): { readonly removed: Key; readonly at: Date } {
  const at = new Date((expires_at - tombstoneDays * 24 * 60 * 60) * 1_000);
  return { removed: { pk, sk: sk.slice(tombstoneStart.length) }, at };
}

/** True when a record is known to have been removed at this version or a later one. An expired tombstone does not count. */
export function isRemovedAt(tombstone: Tombstone | undefined, version: number | null | undefined, now: Date): boolean {
  if (tombstone === undefined || typeof version !== "number") return false;
  return tombstone.version >= version && tombstone.expires_at > epochSeconds(now);
}

/** Stores the version at which a record was removed, unless a later removal is stored already. */
export function markRemoved(key: Key, version: number, now: Date): TransactionWrite {
  const tombstone = { ...tombstoneKey(key), version, expires_at: epochSecondsAfter(now, tombstoneDays) };
  return { Put: { Item: tombstones.encode(tombstone), ...unlessRemovedAt(version, now) } };
}

/** Stores that no line with a version may bring a record back, whatever its version. */
export function markErased(key: Key, now: Date): TransactionWrite {
  const expires_at = epochSecondsAfter(now, tombstoneDays);
  return { Put: { Item: tombstones.encode({ ...tombstoneKey(key), version: Number.MAX_SAFE_INTEGER, expires_at }) } };
}

/** Deletes the tombstone of a record: what follows is judged as if it had never been removed. */
export function forgetRemoval(key: Key): TransactionWrite {
  return { Delete: { Key: tombstoneKey(key) } };
}

/** Holds a transaction's other writes to the record not having been removed at this version or a later one. */
export function requireNotRemoved(key: Key, version: number, now: Date): TransactionWrite {
  return { ConditionCheck: { Key: tombstoneKey(key), ...unlessRemovedAt(version, now) } };
}

function unlessRemovedAt(version: number, now: Date) {
  return {
    ConditionExpression: "attribute_not_exists(pk) OR version < :version OR expires_at <= :now",
    ExpressionAttributeValues: { ":version": version, ":now": epochSeconds(now) },
  };
}
