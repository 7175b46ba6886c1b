import { isDeepStrictEqual } from "node:util";
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
import { encodeTotals, figuresOf, isMonth, partKey, partKeys } from "../lists/stored-totals.ts";
import { updateTotals } from "../lists/update-totals.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import { ifUnchanged } from "../table/conditions.ts";
import { nameOf, recordKey } from "../table/item-keys.ts";
import { type Key, queryItems } from "../table/table.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import { companyRecords } from "./company-items.ts";
import { type FoundTotals, foundTotals, type Reconciliation } from "./reconcile-totals.ts";

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
export async function rewriteTotals(before: Reconciliation, last: Reconciliation): Promise<number> {
  let written = 0;
  for (const found of foundTotals(last)) {
    const { key, figures, parts } = found;
    const revisions = [before, last].map(({ stored }) =>
      partKeys(key).map((each) => stored.get(nameOf(each))?.revision),
    );
    const present = new Map([...figuresOf(parts)].filter(([, figure]) => figure !== 0));
    if (isDeepStrictEqual(present, figures) || !isDeepStrictEqual(revisions[0], revisions[1])) continue;
    const failed = await transact(rewritesOf(found));
    if (failed.length === 0) written += partKeys(key).length;
  }
  return written;
}

function rewritesOf(found: FoundTotals): TransactionWrite[] {
  const { key, figures, parts } = found;
  if (!isMonth(key) && figures.size === 0) return [{ Delete: { Key: { ...key }, ...ifUnchanged(parts[0]) } }];
  const narrowed = isMonth(key) ? Math.max(0, ...parts.map((part) => part.narrowed ?? 0)) + 1 : undefined;
  return partKeys(key).map((at): TransactionWrite => {
    const item = parts.find(({ sk }) => sk === at.sk);
    const stored = figuresOf([item]);
    const others = Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => !stored.has(name)));
    const right = Object.fromEntries([...figures].filter(([figure]) => partKey(key, figure).sk === at.sk));
    const next = { ...others, ...at, ...right, revision: (item?.revision ?? 0) + 1, narrowed };
    return { Put: { Item: encodeTotals(next), ...ifUnchanged(item) } };
  });
}

/**
 * Repairs the search entries of a company's invoices, each on condition that its invoice has not been counted again
 * meanwhile. Gives the number of entries written or removed.
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
  const query = { KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": partition } };
  const items = await queryItems({ ...query, ConsistentRead: true });
  return Map.groupBy(items.map(numberEntries.decode), numberEntryId);
}
