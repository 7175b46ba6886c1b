import { putBatch } from "../table/batch-writes.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import type { TableChange } from "../table/table-changes.ts";

/** A heartbeat as the table has it. */
interface StoredHeartbeat extends StoredItem {
  /** Milliseconds since 1970, taken before its write began. */
  readonly begun_at: number;
}

const kind = "HEARTBEAT";
const partitionStart = `${kind}#`;

/**
 * The entity of heartbeats: items that are written again and again for the sake of the table's stream alone. The stream hands
 * each on after all that was written before it to its shard.
 */
export const heartbeats = defineEntity<StoredHeartbeat>(
  "heartbeat",
  ({ pk, sk }) => sk === kind && pk.startsWith(partitionStart),
);

/** Keys are spread over the shards by their hash: that a shard has none of them has a probability of 1 in 22,000. */
export const heartbeatsPerShard = 10;

/** Until the second heartbeats of a minute. Each second of it costs; the rest of the minute is the longest gap. */
export const pauseMs = 25_000;

/** Access pattern TY2: writes so many heartbeats, numbered from 0. 1 write unit each. */
export async function writeHeartbeats(count: number, now: Date): Promise<void> {
  const items = Array.from({ length: count }, (_, number) =>
    heartbeats.encode({ pk: `${partitionStart}${number}`, sk: kind, begun_at: now.getTime() }),
  );
  await putBatch(items);
}

/** A heartbeat that came through the stream. */
export interface Heartbeat {
  readonly number: number;
  /** Milliseconds since 1970: whatever was written to its shard before is in the stream before it. */
  readonly begunAt: number;
}

/** True for a change of a heartbeat. */
export function isHeartbeat({ key }: TableChange): boolean {
  return heartbeats.matches(key);
}

/** Reads a heartbeat; undefined where it was removed. Throws on one that does not say its number or when it was begun. */
export function readHeartbeat({ key, after }: TableChange): Heartbeat | undefined {
  if (!after) return undefined;
  const begunAt = heartbeats.decode(after).begun_at;
  const number = Number(key.pk.slice(partitionStart.length));
  if (!Number.isSafeInteger(number) || !Number.isSafeInteger(begunAt)) throw new Error("The heartbeat is malformed");
  return { number, begunAt };
}
