import { sleep } from "../../shared/backoff.ts";
import { heartbeatsPerShard, pauseMs, writeHeartbeats } from "../../shared/db/lists/heartbeats.ts";
import { findWatermark, resizeWatermark } from "../../shared/db/lists/watermark.ts";
import { countOpenShards } from "../../shared/db/table/stream-shards.ts";
import { measureSeconds } from "../../shared/metrics.ts";
import { forSchedule } from "../../shared/workers/schedule-worker.ts";

/**
 * Writes heartbeats that go through the table's stream, twice a minute: what is counted before them shows how far the totals
 * are. Reports how far they are behind, once each has come through.
 */
export const handler = forSchedule(async (now) => {
  const count = heartbeatsPerShard * (await countOpenShards());
  const asOf = await findWatermark();
  if (asOf) measureSeconds("TotalsLag", {}, (now.getTime() - asOf.getTime()) / 1_000);
  await resizeWatermark(count);
  await writeHeartbeats(count, new Date());
  await sleep(pauseMs);
  await writeHeartbeats(count, new Date());
});
