import { chunksOf } from "../../batches.ts";
import { countedPlaceKey, readCountedPlace } from "../lists/counted-places.ts";
import {
  entriesOf,
  numberEntries,
  numberEntryId,
  replaceEntries,
  type StoredNumberEntry,
} from "../lists/number-search.ts";
import { figuresOf, listTotals, type StoredTotals, type TotalsFigures } from "../lists/totals.ts";
import { updateTotals } from "../lists/update-totals.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import { ifUnchanged } from "../table/conditions.ts";
import { recordKey } from "../table/keys.ts";
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
 * meanwhile. Gives the number of entries written or removed.
 */
export async function rewriteNumberEntries(partition: string): Promise<number> {
  const ids = [];
  for await (const page of companyRecords(Number(partition.split("#")[1]), "INVOICES"))
    ids.push(...page.map(({ id }) => Number(id)));
  const stored = await findStoredEntries(partition);
  let written = 0;
  for (const chunk of chunksOf([...new Set([...ids, ...stored.keys()])], maxBatchReads)) {
    const places = await readBatch(chunk.map((id) => countedPlaceKey(recordKey("INVOICE", id))));
    for (const [position, id] of chunk.entries()) {
      const counted = readCountedPlace(places[position]);
      const right = entriesOf(counted?.place ?? null).filter(({ pk }) => pk === partition);
      const writes = replaceEntries(stored.get(id) ?? [], right);
      if (writes.length === 0) continue;
      const stillCounted = { Key: countedPlaceKey(recordKey("INVOICE", id)), ...ifUnchanged(counted) };
      const failed = await transact([...writes, { ConditionCheck: stillCounted }]);
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
