import { type CountedPlace, countedPlaceKey, readCountedPlace } from "../lists/counted-places.ts";
import { entriesOf, numberEntries, numberEntryId, type StoredNumberEntry } from "../lists/number-search.ts";
import { figuresOf, listTotals, type StoredTotals } from "../lists/totals.ts";
import { updateTotals } from "../lists/update-totals.ts";
import { readBatch } from "../table/batch-reads.ts";
import { ifUnchanged } from "../table/conditions.ts";
import { recordKey } from "../table/keys.ts";
import { type Key, queryPages } from "../table/table.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import type { Reconciliation, TotalsFigures } from "./reconcile-totals.ts";

const recordsAtOnce = 100;

/** Counts records whose state or date differs from what was last counted. Gives the number of those that were moved. */
export async function countRecords(keys: readonly Key[], now: Date): Promise<number> {
  let moved = 0;
  for (let at = 0; at < keys.length; at += recordsAtOnce) {
    moved += await updateTotals(keys.slice(at, at + recordsAtOnce), now);
  }
  return moved;
}

/**
 * Writes the totals as a reconciliation found that they should be, bounds as close as they can be. Writes only items that
 * are unchanged since the pass before: their counts did not change while they were read. Gives the number of items written.
 */
export async function rewriteTotals(before: Reconciliation, { totals, stored }: Reconciliation): Promise<number> {
  let written = 0;
  for (const name of new Set([...totals.keys(), ...stored.keys()])) {
    const item = stored.get(name);
    const right = totals.get(name);
    if (before.stored.get(name)?.revision !== item?.revision || isRight(item, right)) continue;
    if ((await transact([rewrite(item, right)])).length === 0) written += 1;
  }
  return written;
}

function isRight(item: StoredTotals | undefined, right: TotalsFigures | undefined): boolean {
  const present = [...figuresOf(item, right?.figures)].filter(([, figure]) => figure !== 0);
  return present.length === (right?.figures.size ?? 0) && present.every(([name, n]) => right?.figures.get(name) === n);
}

function rewrite(item: StoredTotals | undefined, right: TotalsFigures | undefined): TransactionWrite {
  if (!right) return { Delete: { Key: { pk: item?.pk, sk: item?.sk }, ...ifUnchanged(item) } };
  const stored = figuresOf(item, right.figures);
  const others = Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => !stored.has(name)));
  const figures = Object.fromEntries(right.figures);
  const next = { ...others, ...right.key, ...figures, revision: (item?.revision ?? 0) + 1 };
  return { Put: { Item: listTotals.encode(next), ...ifUnchanged(item) } };
}

/**
 * Repairs the search entries of a company's invoices, each on condition that its invoice has not been counted again
 * meanwhile. `ids` are the company's invoices. Gives the number of entries written or removed.
 */
export async function rewriteNumberEntries(partition: string, ids: readonly number[]): Promise<number> {
  const stored = await findStoredEntries(partition);
  const all = [...new Set([...ids, ...stored.keys()])];
  let written = 0;
  for (let at = 0; at < all.length; at += recordsAtOnce) {
    const chunk = all.slice(at, at + recordsAtOnce);
    const places = await readBatch(chunk.map((id) => countedPlaceKey(recordKey("INVOICE", id))));
    for (const [position, id] of chunk.entries()) {
      const counted = readCountedPlace(places[position]);
      const writes = entryWrites(partition, stored.get(id) ?? [], counted);
      if (writes.length === 0) continue;
      const failed = await transact([...writes, stillCounted(id, counted)]);
      if (failed.length === 0) written += writes.length;
    }
  }
  return written;
}

async function findStoredEntries(partition: string): Promise<Map<number, StoredNumberEntry[]>> {
  const found = new Map<number, StoredNumberEntry[]>();
  const query = { KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": partition } };
  for await (const page of queryPages({ ...query, ConsistentRead: true })) {
    for (const entry of page.map(numberEntries.decode)) {
      const id = numberEntryId(entry);
      found.set(id, [...(found.get(id) ?? []), entry]);
    }
  }
  return found;
}

function entryWrites(
  partition: string,
  stored: readonly StoredNumberEntry[],
  counted: CountedPlace | undefined,
): TransactionWrite[] {
  const right = entriesOf(counted?.place ?? null).filter(({ pk }) => pk === partition);
  const gone = stored.filter(({ sk }) => right.every((entry) => entry.sk !== sk));
  const missing = right.filter(({ sk, mark_order }) =>
    stored.every((entry) => entry.sk !== sk || entry.mark_order !== mark_order),
  );
  return [
    ...gone.map(({ pk, sk }) => ({ Delete: { Key: { pk, sk } } })),
    ...missing.map((entry) => ({ Put: { Item: numberEntries.encode(entry) } })),
  ];
}

function stillCounted(id: number, counted: CountedPlace | undefined): TransactionWrite {
  return { ConditionCheck: { Key: countedPlaceKey(recordKey("INVOICE", id)), ...ifUnchanged(counted) } };
}
