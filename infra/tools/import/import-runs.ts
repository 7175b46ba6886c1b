import { toItem } from "../../../functions/workers/history-entries.ts";
import type { FieldValues } from "../../../shared/records/history.ts";
import type { Change } from "../../../shared/run/change.ts";
import { settings } from "../../../shared/run/settings.ts";
import { epochSeconds, putBatch } from "../../../shared/table/table.ts";

/**
 * Access pattern HI7: keeps an import in the history, as one change however many records it makes. What it keeps is
 * written over what it kept before. 1 or 2 write units, and as many for its index.
 */
export async function keepImport(change: Change, after: FieldValues): Promise<void> {
  const { id, at } = change;
  const recorded = { type: "import", id, did: "imported", change, at, after } as const;
  await putBatch([toItem(recorded, { createdAt: epochSeconds(new Date(at)) }, settings.historyDays())]);
}
