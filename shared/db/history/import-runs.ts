import type { Change } from "../../domain/records/change.ts";
import { settings } from "../../settings.ts";
import { epochSeconds } from "../table/expiry.ts";
import type { Fields } from "./history-items.ts";
import { toItems } from "./history-of-changes.ts";
import { putHistory } from "./put-history.ts";

/**
 * Access pattern HI7: keeps an import in the history, as one change however many records it makes. What it keeps is
 * written over what it kept before. 2 write units and 1 for each of 2 places.
 */
export async function keepImport(change: Change, after: Fields): Promise<void> {
  const { id, at } = change;
  const recorded = { type: "import", id, did: "imported", change, at, after } as const;
  await putHistory(toItems(recorded, { createdAt: epochSeconds(new Date(at)) }, settings.historyDays()));
}
