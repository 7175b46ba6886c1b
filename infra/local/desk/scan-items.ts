import { keyOf } from "../../../shared/db/table/item-keys.ts";
import { type Item, type Key, scanPage } from "../../../shared/db/table/table.ts";

/** A longer list would help nobody, and would take long to read. */
const mostPages = 20;

/** The keys of the items to read, the item to start after, and the number of items that is enough. */
export interface Scan {
  isWanted(key: Key): boolean;
  from?: Item | undefined;
  enough?: number;
}

/** Items in the table's order, from at most 20 pages, and the key to go on from; undefined at the end. */
export async function scanItems({ isWanted, from, enough = Number.POSITIVE_INFINITY }: Scan) {
  const items: Item[] = [];
  let lastKey = from;
  for (let page = 0; page < mostPages && items.length < enough; page += 1) {
    const read = await scanPage({ ExclusiveStartKey: lastKey });
    items.push(...read.items.filter((item) => isWanted(keyOf(item))));
    lastKey = read.lastKey;
    if (!lastKey) break;
  }
  return { items, lastKey };
}
