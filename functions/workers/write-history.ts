import { settings } from "../../shared/run/settings.ts";
import type { StreamRecord } from "../../shared/table/entity.ts";
import { putBatch } from "../../shared/table/table.ts";
import { emptyRemoved } from "./empty-history.ts";
import { historyOf } from "./history-entries.ts";

/**
 * Access pattern HI1: stores the history of up to 100 changes of records and sessions. The result does not depend on
 * the consumer, the batches or repetitions. 1 write unit a change and as many for each of up to 3 indexes, twice that
 * above 1 KB; 1 read unit a user. Refuses with `busy` if the table leaves writes undone.
 */
export async function keepHistory(changes: readonly StreamRecord[]): Promise<void> {
  const keptDays = settings.historyDays();
  const items = changes.flatMap((change) => historyOf(change, keptDays));
  await putBatch(items);
  await emptyRemoved(items);
}
