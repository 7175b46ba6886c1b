import { chunksOf } from "../../batches.ts";
import { countedPlaceKey, nextCountedPlace, readCountedPlace } from "../lists/counted-places.ts";
import { listedItems } from "../lists/listed-items.ts";
import {
  companyOfEntries,
  deleteEntry,
  entriesMissingIn,
  entriesOf,
  numberEntries,
  numberEntryId,
  putEntry,
  type StoredNumberEntry,
} from "../lists/number-search.ts";
import { encodeTotals, figuresOf, keysTogether, type StoredTotals, type TotalsFigures } from "../lists/totals.ts";
import { updateTotals } from "../lists/update-totals.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import { ifUnchanged } from "../table/conditions.ts";
import { nameOf, recordKey } from "../table/keys.ts";
import { type Key, queryItems } from "../table/table.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import { companyRecords } from "./company-items.ts";
import type { Reconciliation } from "./reconcile-totals.ts";

/** Counts records whose state or date differs from what was last counted. Gives the number of those that were moved. */
export async function countRecords(keys: readonly Key[], now: Date): Promise<number> {
  let moved = 0;
  for (const chunk of chunksOf(keys, maxBatchReads)) moved += await updateTotals(chunk, now);
  return moved;
}

/**
 * Writes the totals as a reconciliation found that they should be, bounds as close as they can be. Writes only items that
 * are unchanged since the pass before: their counts did not change while they were read. A month is written with its bounds, and
 * says that they were narrowed: what is being counted within the bounds of before is counted again. Gives the number of items written.
 */
export async function rewriteTotals(before: Reconciliation, { totals, stored }: Reconciliation): Promise<number> {
  let written = 0;
  const keys: Key[] = [...[...totals.values()].map(({ key }) => key), ...stored.values()];
  const groups = new Map(keys.map(keysTogether).map((group) => [group.own.map(nameOf).join(), group]));
  for (const { own, former } of groups.values()) {
    const isUnchanged = [...own, ...(former ? [former] : [])].every(
      (key) => before.stored.get(nameOf(key))?.revision === stored.get(nameOf(key))?.revision,
    );
    const parts = own.map((key) => ({ key, item: stored.get(nameOf(key)), right: totals.get(nameOf(key)) }));
    const left = former && stored.get(nameOf(former));
    if (!isUnchanged || (!left && parts.every(({ item, right }) => isRight(item, right)))) continue;
    const narrowed = former ? Math.max(...parts.map(({ item }) => item?.narrowed ?? 0)) + 1 : undefined;
    const writes = parts.map((part) => rewrite(part, narrowed));
    const removal = left ? [{ Delete: { Key: { ...former }, ...ifUnchanged(left) } }] : [];
    if ((await transact([...writes, ...removal])).length === 0) written += parts.length;
  }
  return written;
}

function isRight(item: StoredTotals | undefined, right: TotalsFigures | undefined): boolean {
  const present = [...figuresOf(item, right?.figures)].filter(([, figure]) => figure !== 0);
  return present.length === (right?.figures.size ?? 0) && present.every(([name, n]) => right?.figures.get(name) === n);
}

interface TotalsPart {
  readonly key: Key;
  readonly item: StoredTotals | undefined;
  readonly right: TotalsFigures | undefined;
}

function rewrite({ key, item, right }: TotalsPart, narrowed: number | undefined): TransactionWrite {
  if (!right && narrowed === undefined) return { Delete: { Key: { ...key }, ...ifUnchanged(item) } };
  const stored = figuresOf(item, right?.figures);
  const others = Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => !stored.has(name)));
  const figures = Object.fromEntries(right?.figures ?? []);
  const next = { ...others, ...key, ...figures, revision: (item?.revision ?? 0) + 1, narrowed };
  return { Put: { Item: encodeTotals(next), ...ifUnchanged(item) } };
}

/**
 * Repairs the search entries of a company's invoices, each on condition that its invoice has not been counted again
 * meanwhile.  Gives the number of entries written or removed.
 */
export async function rewriteNumberEntries(partition: string, now: Date): Promise<number> {
  const ids: number[] = [];
  for await (const page of companyRecords(companyOfEntries(partition), "INVOICES")) {
    ids.push(...page.map((row) => listedItems.INVOICES.decode(row).id));
  }
  const stored = await findStoredEntries(partition);
  let written = 0;
  for (const chunk of chunksOf([...new Set([...ids, ...stored.keys()])], maxBatchReads)) {
    const places = await readBatch(chunk.map((id) => countedPlaceKey(recordKey("INVOICE", id))));
    for (const [position, id] of chunk.entries()) {
      const counted = readCountedPlace(places[position]);
      const right = entriesOf(counted?.place ?? null).filter(({ pk }) => pk === partition);
      const there = stored.get(id) ?? [];
      const writes = [
        ...entriesMissingIn(right, there).map(deleteEntry),
        ...entriesMissingIn(there, right).map(putEntry),
      ];
      if (writes.length === 0) continue;
      // Whoever is about to count the invoice somewhere else stores its entries again.
      const { place = null, record_revision: revision = 0 } = counted ?? {};
      const again = nextCountedPlace(recordKey("INVOICE", id), counted, { place, revision }, now);
      const failed = await transact([...writes, { Put: { Item: again, ...ifUnchanged(counted) } }]);
      if (failed.length === 0) written += writes.length;
    }
  }
  return written;
}

async function findStoredEntries(partition: string): Promise<Map<number, StoredNumberEntry[]>> {
  const found = new Map<number, StoredNumberEntry[]>();
  const query = { KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": partition } };
  for (const entry of (await queryItems({ ...query, ConsistentRead: true })).map(numberEntries.decode)) {
    const id = numberEntryId(entry);
    found.set(id, [...(found.get(id) ?? []), entry]);
  }
  return found;
}
