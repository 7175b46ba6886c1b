import type { Item, Key } from "../table/item-keys.ts";
import { keyOf } from "../table/item-keys.ts";
import { getItem } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import type { UniqueKey } from "./unique-keys.ts";

/** Stores what a dry run would have written: an item, null for a deleted one, undefined for an untouched one. */
export interface DryRunStore {
  find(key: Key): Item | null | undefined;
  keep(key: Key, item: Item | null): void;
}

/** The item as the dry run's writes so far would have left it. */
export function findInDryRun(key: Key, dryRun: DryRunStore | undefined, stored: Item | undefined): Item | undefined {
  const kept = dryRun?.find(key);
  return kept === undefined ? stored : (kept ?? undefined);
}

/**
 * Applies a transaction to the dry run's store instead of the table. Returns the positions of the writes that would
 * have failed.
 */
export async function applyDry(
  writes: readonly TransactionWrite[],
  uniqueKeys: readonly UniqueKey[],
  dryRun: DryRunStore,
): Promise<readonly number[]> {
  const stored = await Promise.all(uniqueKeys.map(({ key }) => getItem(key, { consistent: true })));
  // No await from here on: if two users of a file have the same login, only one may find it free.
  const failed = uniqueKeys.flatMap(({ key, userId }, position) => {
    const holder = findInDryRun(key, dryRun, stored[position]);
    return holder && holder.user_id !== userId ? [writes.length + position] : [];
  });
  if (failed.length > 0) return failed;
  for (const { Put, Delete } of writes) {
    if (Put?.Item) dryRun.keep(keyOf(Put.Item), Put.Item);
    if (Delete?.Key) dryRun.keep(keyOf(Delete.Key), null);
  }
  for (const { key, userId } of uniqueKeys) dryRun.keep(key, { ...key, user_id: userId });
  return [];
}
