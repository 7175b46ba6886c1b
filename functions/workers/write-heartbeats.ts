import { sleep } from "../../shared/backoff.ts";
import { writeHeartbeats } from "../../shared/db/lists/heartbeats.ts";
import { findWatermark, resizeWatermark } from "../../shared/db/lists/watermark.ts";
import { countOpenShards } from "../../shared/db/table/stream-shards.ts";
import { measureSeconds } from "../../shared/metrics.ts";
import { forSchedule } from "../../shared/workers/schedule-worker.ts";

/** Keys are spread over the shards by hash: that a shard has none of them has a probability of 1 in 22,000. */
const heartbeatsPerShard = 10;
/** Until the second heartbeats of the minute. Each second of it costs; the rest of the minute is the longest gap. */
const pauseMs = 25_000;

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
