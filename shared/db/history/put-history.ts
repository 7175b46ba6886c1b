import { putBatch } from "../table/batch-writes.ts";
import { nameOf } from "../table/keys.ts";
import type { Item } from "../table/table.ts";
import { dayMarksOf } from "./history-items.ts";

/** The marks that this environment has stored: eight a day, and each is stored once. */
const stored = new Set<string>();

/** Puts items of the history, with the marks of the days that they are of. 1 write unit a KB and item. */
export async function putHistory(items: readonly Item[]): Promise<void> {
  const marks = dayMarksOf(items);
  const missing = marks.filter((mark) => !stored.has(nameOf(mark)));
  await putBatch([...new Map([...missing, ...items].map((item) => [nameOf(item), item])).values()]);
  for (const mark of missing) stored.add(nameOf(mark));
}
