import { putBatch } from "../table/batch-writes.ts";
import { nameOf } from "../table/item-keys.ts";
import type { Item } from "../table/table.ts";
import { usedShardsOf } from "./history-items.ts";

/** The shards of days that this environment has stored as used: eight a day, each stored once. */
const stored = new Set<string>();

/** Puts items of the history, and the shards of days that they are the first to use. 1 write unit a KB and item. */
export async function putHistory(items: readonly Item[]): Promise<void> {
  const shards = usedShardsOf(items).filter((shard) => !stored.has(nameOf(shard)));
  await putBatch([...new Map([...shards, ...items].map((item) => [nameOf(item), item])).values()]);
  for (const shard of shards) stored.add(nameOf(shard));
}
