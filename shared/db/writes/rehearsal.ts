import { getItem, type Item, type Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import type { Claim } from "./claims.ts";

/** Where a dry run keeps what it would have written: an item, null for a deleted one, undefined for an untouched one. */
export interface Rehearsal {
  find(key: Key): Item | null | undefined;
  keep(key: Key, item: Item | null): void;
}

/** The item as the writes so far would have left it. */
export function findRehearsed(key: Key, rehearsal: Rehearsal | undefined, stored: Item | undefined): Item | undefined {
  const kept = rehearsal?.find(key);
  return kept === undefined ? stored : (kept ?? undefined);
}

/** Does to the rehearsal what the transaction would do to the table; answers with the positions that would have failed. */
export async function rehearse(
  writes: readonly TransactionWrite[],
  claims: readonly Claim[],
  rehearsal: Rehearsal,
): Promise<readonly number[]> {
  const stored = await Promise.all(claims.map(({ key }) => getItem(key, { consistent: true })));
  // Nothing waits from here on: two users of one file that claim one login must not both see it free.
  const failed = claims.flatMap(({ key, userId }, position) => {
    const holder = findRehearsed(key, rehearsal, stored[position]);
    return holder && holder.user_id !== userId ? [writes.length + position] : [];
  });
  if (failed.length > 0) return failed;
  for (const { Put, Delete } of writes) {
    if (Put) rehearsal.keep(keyOf(Put.Item), Put.Item ?? null);
    if (Delete) rehearsal.keep(keyOf(Delete.Key), null);
  }
  for (const { key, userId } of claims) rehearsal.keep(key, { ...key, user_id: userId });
  return [];
}

function keyOf(item: Item | undefined): Key {
  return { pk: String(item?.pk), sk: String(item?.sk) };
}
