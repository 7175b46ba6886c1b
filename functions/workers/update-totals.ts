import { isHeartbeat } from "../../shared/db/lists/heartbeats.ts";
import { countChanges } from "../../shared/db/lists/update-totals.ts";
import { raiseWatermark } from "../../shared/db/lists/watermark.ts";
import { forStream } from "../../shared/workers/stream-worker.ts";

/**
 * Keeps the totals of the lists, and what a search by number finds, in line with the records that changed; then the watermark
 * in line with the heartbeats among the changes.
 */
export const handler = forStream(async (changes, now) => {
  const { heartbeats = [], records = [] } = Object.groupBy(changes, (change) =>
    isHeartbeat(change) ? "heartbeats" : "records",
  );
  await countChanges(records, now);
  await raiseWatermark(heartbeats, now);
});
