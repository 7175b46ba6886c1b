import { settings } from "../../settings.ts";
import { lastChange } from "../../work.ts";
import { epochSeconds } from "../table/expiry.ts";
import type { Fields } from "./history-items.ts";
import { toItems } from "./history-of-changes.ts";
import { putHistory } from "./put-history.ts";

/**
 * Access pattern HI7: keeps the import under way in the history, as one change however many records it makes. What it keeps is
 * written over what it kept before. 2 write units and 1 for each of 2 places. Throws where no import is under way.
 */
export async function keepImport(begunAt: Date, after: Fields): Promise<void> {
  const change = lastChange();
  if (!change) throw new Error("No import is under way");
  const at = begunAt.toISOString();
  const recorded = { type: "import", id: change.id, did: "imported", change: { ...change, at }, at, after } as const;
  await putHistory(toItems(recorded, { createdAt: epochSeconds(begunAt) }, settings.historyDays()));
}
