import { parseRecordLine, writeRecord } from "../../../shared/lines.ts";
import { importParts } from "../../../shared/table/counters.ts";
import { createWriteBatches } from "../../../shared/table/write-batches.ts";
import { testContext } from "../../support/records/contexts.ts";

const atOnce = 100;

/** Imports the lines, a hundred at a time. */
export async function importLines(lines: Iterable<object>): Promise<void> {
  const commit = createWriteBatches(importParts);
  let chunk: Promise<unknown>[] = [];
  for (const line of lines) {
    chunk.push(writeRecord(parseRecordLine(line, "GB"), { ...testContext(), commit }));
    if (chunk.length < atOnce) continue;
    await Promise.all(chunk);
    chunk = [];
  }
  await Promise.all(chunk);
}
