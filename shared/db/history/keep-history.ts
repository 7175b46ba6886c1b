import { settings } from "../../settings.ts";
import { readBatch } from "../table/batch-reads.ts";
import { putBatch } from "../table/batch-writes.ts";
import { isRecorded } from "../table/change-stamps.ts";
import type { StreamRecord } from "../table/stream-records.ts";
import { removalKey, removals } from "../writes/removals.ts";
import { emptyRemoved } from "./empty-history.ts";
import { historyOf } from "./history-of-changes.ts";

/**
 * Access pattern HI1: stores the history of up to 100 changes of records and sessions. The result does not depend on
 * the consumer, the batches or repetitions. 1 write unit a change and as many for each of up to 3 indexes, twice that
 * above 1 KB; 1 read unit a removal and a user. Refuses with `busy` if the table leaves writes undone.
 */
export async function keepHistory(changes: readonly StreamRecord[]): Promise<void> {
  const removed = changes.filter(({ key, before, after }) => before && !after && isRecorded(key));
  const found = await readBatch(removed.map(({ key, before }) => removalKey({ ...before, ...key })));
  const authors = new Map(removed.map((change, at) => [change, found[at] && removals.decode(found[at]).change]));
  const keptDays = settings.historyDays();
  const items = changes.flatMap((change) => historyOf(change, authors.get(change), keptDays));
  await putBatch(items);
  await emptyRemoved(items);
}
