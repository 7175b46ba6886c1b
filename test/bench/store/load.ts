import { nextCountedPlace } from "../../../shared/db/lists/counted-places.ts";
import { listKeys } from "../../../shared/db/lists/list-keys.ts";
import { listedItems } from "../../../shared/db/lists/listed-items.ts";
import { entriesOf, numberEntries } from "../../../shared/db/lists/number-search.ts";
import { updateTotals } from "../../../shared/db/lists/update-totals.ts";
import { reconcileTotals } from "../../../shared/db/reconcile/reconcile-totals.ts";
import { rewriteTotals } from "../../../shared/db/reconcile/repair-totals.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import { writeRecord } from "../../../shared/db/write-record.ts";
import { importParts } from "../../../shared/db/writes/counters.ts";
import { createWriteBatches } from "../../../shared/db/writes/write-batches.ts";
import { positionOf } from "../../../shared/domain/records/list-position.ts";
import { parseRecordLine } from "../../../shared/domain/records/record-line.ts";
import { testContext } from "../../support/records/contexts.ts";
import type { EngineFile } from "./engine-file.ts";

/** Called with the number of records that are in. */
export type Progress = (loaded: number) => void;

const atOnce = 100;

/** Imports the lines and counts them as the stream's consumer does, a hundred at a time. */
export async function importLines(lines: Iterable<object>, onProgress: Progress): Promise<void> {
  let loaded = 0;
  const commit = createWriteBatches(importParts);
  for (const chunk of chunksOf(lines, atOnce)) {
    const records = chunk.map((line) => parseRecordLine(line, "GB"));
    await Promise.all(records.map((record) => writeRecord(record, { ...testContext(), commit })));
    await updateTotals(
      records.map(({ id }) => recordKey("INVOICE", id)),
      new Date(),
    );
    loaded += chunk.length;
    onProgress(loaded);
  }
}

/**
 * Puts the lines' items straight into the engine's file as import and consumer would leave them; the totals are made by
 * the reconciliation. Throws when a second one finds a difference.
 */
export async function putLines(lines: Iterable<object>, file: EngineFile, onProgress: Progress): Promise<void> {
  let loaded = 0;
  for (const line of lines) {
    for (const item of itemsOf(line)) file.put(item);
    loaded += 1;
    onProgress(loaded);
  }
  const reconciliation = await reconcileTotals({ items: file.partitions() });
  await rewriteTotals(reconciliation, reconciliation);
  const { drifts, uncounted, records } = await reconcileTotals({ items: file.partitions() });
  file.close();
  if (drifts.length + uncounted.length > 0 || records !== loaded) {
    throw new Error("The loaded totals are not those of the records");
  }
}

function itemsOf(line: object): Item[] {
  const { type: _, id, company_id, ...record } = line as { type: string; id: number; company_id: number };
  const key = recordKey("INVOICE", id);
  const place = positionOf("INVOICES", company_id, { ...record, id });
  const keys = listKeys("INVOICES", company_id, { ...record, id });
  return [
    {
      ...key,
      id,
      company_id,
      record,
      ...keys,
      silent: true,
      revision: 1,
      schema_version: listedItems.INVOICES.version,
    },
    nextCountedPlace(key, undefined, { place, revision: 1 }, new Date(0)),
    ...entriesOf(place).map(numberEntries.encode),
  ];
}

function* chunksOf<T>(all: Iterable<T>, size: number): Generator<T[]> {
  let chunk: T[] = [];
  for (const each of all) {
    chunk.push(each);
    if (chunk.length === size) {
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield chunk;
}
