import { settings } from "../../settings.ts";
import { readBatch } from "../table/batch-reads.ts";
import { isRecorded } from "../table/change-stamps.ts";
import type { StreamRecord } from "../table/stream-records.ts";
import { removalKey, removals } from "../writes/removals.ts";
import { emptyRemoved } from "./empty-history.ts";
import { historyOf } from "./history-of-changes.ts";
import { putHistory } from "./put-history.ts";

/**
 * Access pattern HI1: stores the history of up to 100 changes of records and sessions. The result does not depend on
 * the consumer, the batches or repetitions. Up to 2 write units a change and 1 for each of up to 4 places, and 8 a day
 * and environment; 1 read unit a removal and a user. Refuses with `busy` if the table leaves writes undone.
 */
export async function keepHistory(changes: readonly StreamRecord[]): Promise<void> {
  const removed = changes.filter(({ key, before, after }) => before && !after && isRecorded(key));
  const found = await readBatch(removed.map(({ key, before }) => removalKey({ ...before, ...key })));
  const authors = new Map(removed.map((change, at) => [change, found[at] && removals.decode(found[at]).change]));
  const keptDays = settings.historyDays();
  const items = changes.flatMap((change) => historyOf(change, authors.get(change), keptDays));
  await putHistory(items);
  await emptyRemoved(items);
}
