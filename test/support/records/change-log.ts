import { isDeepStrictEqual } from "node:util";
import { readImages, type StreamRecord } from "../../../shared/db/table/stream-records.ts";
import type { Key } from "../../../shared/db/table/table.ts";
import { readPlace } from "./writes.ts";

/** Carries out a write of one record; gives the change as the stream does, or nothing where there is none. */
export async function logChange(key: Key, work: () => Promise<unknown>): Promise<StreamRecord[]> {
  const before = await readPlace(key);
  await work();
  const after = await readPlace(key);
  if (isDeepStrictEqual(before, after)) return [];
  lastSequence += 1;
  const written = { createdAt: Math.floor(Date.now() / 1_000), sequence: String(lastSequence) };
  return [{ eventId: crypto.randomUUID(), key, ...readImages(before, after), ...written }];
}

let lastSequence = 0;

/** Changes as so many shards have them: those of a record are in one shard, in order. */
export function shardsOf(changes: readonly StreamRecord[], shards: number): StreamRecord[][] {
  const isOf = (shard: number) => (change: StreamRecord) => Number(change.key.pk.split("#")[1]) % shards === shard;
  return Array.from({ length: shards }, (_, shard) => changes.filter(isOf(shard)));
}
