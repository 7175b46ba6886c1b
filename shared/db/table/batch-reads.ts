import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { settings } from "../../run/settings.ts";
import type { Item, Key } from "./item-keys.ts";
import { nameOf } from "./item-keys.ts";
import { projectionOf } from "./projections.ts";
import { paces, retry } from "./retry.ts";
import { tableClient } from "./table.ts";
import { liveItem, tombstoneMark } from "./tombstones.ts";

/** Most items that one call reads. */
export const maxBatchReads = 100;

interface BatchReadOptions {
  readonly consistent?: boolean;
  /** The attributes that are read of each item, the key among them. Without `paths` the whole item is read. */
  readonly paths?: readonly string[] | undefined;
  readonly withTombstones?: boolean;
}

/**
 * Reads up to 100 items, in the order of the keys; absent ones are undefined. 1 read unit each, or half a unit if not
 * consistent. If the table is under load and leaves items unread, the call asks again with jitter for up to a second,
 * then refuses with `busy`.
 */
export async function readBatch(
  keys: readonly Key[],
  { consistent = true, paths, withTombstones = false }: BatchReadOptions = {},
): Promise<(Item | undefined)[]> {
  const table = settings.tableName();
  const reading = { ConsistentRead: consistent, ...(paths && projectionOf([...paths, tombstoneMark])) };
  const found = new Map<string, Item>();
  let open: Item[] = [...new Map(keys.map((key) => [nameOf(key), { ...key }])).values()];
  await retry(paces.conflict, async () => {
    if (open.length === 0) return true;
    const RequestItems = { [table]: { Keys: open, ...reading } };
    const { Responses, UnprocessedKeys } = await tableClient().send(new BatchGetCommand({ RequestItems }));
    for (const item of Responses?.[table] ?? []) found.set(nameOf(item), item);
    open = UnprocessedKeys?.[table]?.Keys ?? [];
    return open.length === 0 || undefined;
  });
  const items = keys.map((key) => found.get(nameOf(key)));
  return withTombstones ? items : items.map(liveItem);
}
