import { epochSeconds, epochSecondsAfter } from "../table/expiry.ts";
import { removalKey } from "../table/keys.ts";
import type { Item, Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";

/** How long a removal outlives lines about the record that come late; event buses and queues hold none for as long. */
const keptDays = 30;

/** True when a record is known to have been removed at this version or a later one. An expired mark says nothing. */
export function isRemovedAt(mark: Item | undefined, version: number | undefined, now: Date): boolean {
  if (mark === undefined || version === undefined) return false;
  return Number(mark.version) >= version && Number(mark.expires_at) > epochSeconds(now);
}

/** Keeps in mind at which version a record was removed, unless a later removal is kept already. */
export function markRemoved(key: Key, version: number, now: Date): TransactionWrite {
  const Item = { ...removalKey(key), version, expires_at: epochSecondsAfter(now, keptDays) };
  return { Put: { Item, ...unlessRemovedAt(version, now) } };
}

/** Holds a transaction's other writes to the record not having been removed at this version or a later one. */
export function requireNotRemoved(key: Key, version: number, now: Date): TransactionWrite {
  return { ConditionCheck: { Key: removalKey(key), ...unlessRemovedAt(version, now) } };
}

function unlessRemovedAt(version: number, now: Date) {
  return {
    ConditionExpression: "attribute_not_exists(pk) OR version < :version OR expires_at <= :now",
    ExpressionAttributeValues: { ":version": version, ":now": epochSeconds(now) },
  };
}
