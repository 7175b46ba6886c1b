import { fieldsInvalid } from "../../contract/refusals.ts";
import { counterKey } from "../../table/counters.ts";
import { nameOf } from "../../table/table.ts";
import { bytesInTable, maxTransactionWrites, mostTransactionBytes } from "../../table/writes.ts";
import { listWrites } from "../lists/list-writes.ts";
import type { ListedItem } from "../lists/listed-items.ts";
import type { UndoableList } from "./changes.ts";

/** An undo puts its own change item and marks the one that it undoes. */
export const changeItems = 2;

/** A record, and the item that it becomes; without one it has the values already. */
export interface RecordStep<L extends UndoableList> {
  readonly record: ListedItem<L>;
  readonly next: ListedItem<L> | undefined;
}

/**
 * Refuses with `too_long` a change that one transaction could not undo (D18). The transaction has the records, two
 * change items, and a counter for each company and for each of its months. The detail says how many ids fit.
 */
export function requireTransactionLimits<L extends UndoableList>(
  list: L,
  idsPath: readonly string[],
  steps: readonly RecordStep<L>[],
): void {
  const within = countWithinLimits(list, steps);
  if (within === steps.length) return;
  const fittingIds = `the first ${within} of these ${steps.length}`;
  const detail = `must be fewer: ${fittingIds} fit into one transaction, with their companies, months and sizes`;
  throw fieldsInvalid([{ path: idsPath, code: "too_long", detail }]);
}

function countWithinLimits<L extends UndoableList>(list: L, steps: readonly RecordStep<L>[]): number {
  const counters = new Set<string>();
  let bytes = 0;
  for (const [before, { record, next }] of steps.entries()) {
    const { counts } = next ? listWrites(list, record, next) : { counts: [] };
    for (const count of counts) counters.add(nameOf(counterKey(count, 0)));
    bytes += bytesInTable(record);
    const writes = before + 1 + counters.size + changeItems;
    if (writes > maxTransactionWrites || bytes > mostTransactionBytes) return before;
  }
  return steps.length;
}
