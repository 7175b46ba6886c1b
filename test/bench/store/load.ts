import { listKeys } from "../../../shared/db/lists/list-keys.ts";
import { listedItems } from "../../../shared/db/lists/listed-items.ts";
import { entriesOf, numberEntries } from "../../../shared/db/lists/number-entries.ts";
import { countList } from "../../../shared/db/lists/totals.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import { maxTransactionWrites, transact } from "../../../shared/db/table/transaction.ts";
import { writeRecord } from "../../../shared/db/write-record.ts";
import {
  type Count,
  counterWrites,
  countsBetween,
  foldCounts,
  importParts,
  userParts,
} from "../../../shared/db/writes/counters.ts";
import { createWriteBatches } from "../../../shared/db/writes/write-batches.ts";
import { type ListPosition, positionOf } from "../../../shared/domain/records/list-position.ts";
import { parseRecordLine } from "../../../shared/domain/records/record-line.ts";
import { testContext } from "../../support/records/contexts.ts";
import type { EngineFile } from "./engine-file.ts";

/** Called with the number of records that are in. */
export type Progress = (loaded: number) => void;

const atOnce = 100;
const foldedAtOnce = 6_000;

/** Imports the lines, a hundred at a time. */
export async function importLines(lines: Iterable<object>, onProgress: Progress): Promise<void> {
  let loaded = 0;
  const commit = createWriteBatches(importParts);
  for (const chunk of chunksOf(lines, atOnce)) {
    const records = chunk.map((line) => parseRecordLine(line, "GB"));
    await Promise.all(records.map((record) => writeRecord(record, { ...testContext(), commit })));
    loaded += chunk.length;
    onProgress(loaded);
  }
}

/**
 * Puts the lines' items straight into the engine's file, and adds their counts through its endpoint to every part of the
 * counters. Throws if the total is not the number of the lines.
 */
export async function putLines(lines: Iterable<object>, file: EngineFile, onProgress: Progress): Promise<void> {
  const parts = [...userParts, ...importParts];
  const counts = parts.map((): Count[] => []);
  let loaded = 0;
  for (const chunk of chunksOf(lines, foldedAtOnce)) {
    const placed = chunk.map(itemsOf);
    for (const item of placed.flatMap(({ items }) => items)) file.put(item);
    for (const at of parts.keys()) {
      const ofPart = placed.filter((_, line) => line % parts.length === at);
      const added = ofPart.flatMap(({ place }) => countsBetween("INVOICES", null, place));
      counts[at] = foldCounts([...(counts[at] ?? []), ...added]);
    }
    loaded += chunk.length;
    onProgress(loaded);
  }
  file.close();
  const writes = parts.flatMap((part, at) => counterWrites(counts[at] ?? [], part));
  for (const some of chunksOf(writes, maxTransactionWrites)) await transact(some);
  const total = await countList({ list: "INVOICES", scope: "all", states: ["pending", "paid", "overdue"] });
  if (total !== loaded) throw new Error(`The total of ${loaded} loaded invoices is ${total}`);
}

function itemsOf(line: object): { readonly place: ListPosition; readonly items: readonly Item[] } {
  const { type: _, id, company_id, ...record } = line as { type: string; id: number; company_id: number };
  const place = positionOf("INVOICES", company_id, { ...record, id });
  const keys = listKeys("INVOICES", company_id, { ...record, id });
  const invoice = {
    ...recordKey("INVOICE", id),
    id,
    company_id,
    record,
    ...keys,
    silent: true,
    revision: 1,
    schema_version: listedItems.INVOICES.version,
  };
  return { place, items: [invoice, ...entriesOf(place).map(numberEntries.encode)] };
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
