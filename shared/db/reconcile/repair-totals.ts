import { isDeepStrictEqual } from "node:util";
import { encodeTotals, figuresOf, isMonth, partKey, partKeys } from "../lists/stored-totals.ts";
import { ifUnchanged } from "../table/conditions.ts";
import { nameOf } from "../table/item-keys.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import { type FoundTotals, foundTotals, type Reconciliation } from "./reconcile-totals.ts";

/**
 * Writes the totals as a reconciliation found that they should be, bounds as close as they can be. Writes only items that
 * are unchanged since the pass before: their counts did not change while they were read. A month is written with its bounds, and
 * says that they were narrowed: what is being counted within the bounds of before is counted again. Gives the number of items written.
 */
export async function rewriteTotals(before: Reconciliation, last: Reconciliation): Promise<number> {
  let written = 0;
  for (const found of foundTotals(last)) {
    const { key, figures, parts } = found;
    const revisions = [before, last].map(({ stored }) =>
      partKeys(key).map((each) => stored.get(nameOf(each))?.revision),
    );
    const present = new Map([...figuresOf(parts)].filter(([, figure]) => figure !== 0));
    if (isDeepStrictEqual(present, figures) || !isDeepStrictEqual(revisions[0], revisions[1])) continue;
    const failed = await transact(rewritesOf(found));
    if (failed.length === 0) written += partKeys(key).length;
  }
  return written;
}

function rewritesOf(found: FoundTotals): TransactionWrite[] {
  const { key, figures, parts } = found;
  if (!isMonth(key) && figures.size === 0) return [{ Delete: { Key: { ...key }, ...ifUnchanged(parts[0]) } }];
  const narrowed = isMonth(key) ? Math.max(0, ...parts.map((part) => part.narrowed ?? 0)) + 1 : undefined;
  return partKeys(key).map((at): TransactionWrite => {
    const item = parts.find(({ sk }) => sk === at.sk);
    const stored = figuresOf([item]);
    const others = Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => !stored.has(name)));
    const right = Object.fromEntries([...figures].filter(([figure]) => partKey(key, figure).sk === at.sk));
    const next = { ...others, ...at, ...right, revision: (item?.revision ?? 0) + 1, narrowed };
    return { Put: { Item: encodeTotals(next), ...ifUnchanged(item) } };
  });
}
