import { keyOf } from "../../../shared/db/table/keys.ts";
import { type Item, type Key, scanPage } from "../../../shared/db/table/table.ts";

/** Beyond it a list would help nobody, and reading the table would take long. */
const mostPages = 20;

/** Which items to read: those with a key that is wanted, from a place in the table on, until there are enough. */
export interface Scan {
  isWanted(key: Key): boolean;
  from?: Item | undefined;
  enough?: number;
}

/** Items in the table's order, from at most 20 pages of it, and where to go on; undefined at the end. */
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
