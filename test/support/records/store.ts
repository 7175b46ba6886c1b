import { parseRecordLine, writeRecord } from "../../../shared/lines.ts";
import { importParts } from "../../../shared/table/counters.ts";
import type { Item } from "../../../shared/table/table.ts";
import { getItem, type RecordKind, recordKey } from "../../../shared/table/table.ts";
import { createWriteBatches } from "../../../shared/table/write-batches.ts";
import { hmacKey } from "../../../shared/tokens/secrets.ts";
import { testContext } from "./contexts.ts";
import { isCallerLine } from "./records.ts";
import { openTestSession } from "./sessions.ts";

/** Stores records the way an import does, and opens the sessions that the tokens of callers name. */
export async function store(lines: readonly object[], now = new Date()): Promise<void> {
  const records = lines.map((line) => parseRecordLine(line, "GB"));
  const commit = createWriteBatches(importParts);
  const context = { ...testContext(now), hmacKey, commit };
  await Promise.all(records.map((record) => writeRecord(record, context)));
  await Promise.all(lines.filter(isCallerLine).map(({ id }) => openTestSession(id)));
}

/** The interface's fields of a record as they are stored now. */
export async function readRecord(kind: RecordKind, id: number): Promise<Item | undefined> {
  const item = await getItem(recordKey(kind, id), { consistent: true });
  return item?.record as Item | undefined;
}
