import type * as v from "valibot";
import type { Role, Scope } from "../contract/operation.ts";
import { fieldsInvalid } from "../contract/refusals.ts";
import type { Found } from "../run/paging.ts";
import { counterKey } from "../table/counters.ts";
import { type Attempt, commitOnce, replaceItem, requireUnchanged } from "../table/plans.ts";
import { paces, retryConflicts } from "../table/retry.ts";
import { nameOf } from "../table/table.ts";
import { bytesInTable, maxTransactionWrites, mostTransactionBytes } from "../table/writes.ts";
import {
  type ChangeContext,
  type ChangeItem,
  findEarlier,
  markUndone,
  newChange,
  putChange,
  shownId,
  type UndoableList,
} from "./changes.ts";
import { type ListedFields, type ListedItem, readRecordsWithin, requireAll, toFields } from "./items.ts";
import { listWrites } from "./totals.ts";

/** An undo puts its own change item and marks the one that it undoes. */
export const changeItems = 2;

/** A record, and the item that it becomes; without one it has the values already. */
interface RecordStep<L extends UndoableList> {
  readonly record: ListedItem<L>;
  readonly next: ListedItem<L> | undefined;
}

/**
 * Refuses with `too_long` a change that one transaction could not undo (D18). The transaction has the records, two
 * change items, and a counter for each company and for each of its months. The detail says how many ids fit.
 */
function requireTransactionLimits<L extends UndoableList>(
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

/** The values of a list's records that a bulk change sets, and that its undo restores. */
export interface BulkKind<L extends UndoableList, Values extends object> {
  readonly list: L;
  /** The roles that may make such a change, and so undo one. */
  readonly roles: readonly Role[];
  /** Path of the ids in the body. */
  readonly idsPath: readonly string[];
  readonly schema: v.GenericSchema<unknown, Values>;
  readonly valuesOf: (record: ListedItem<L>) => Values;
  /** True if the two are the same to the interface. */
  readonly isSame: (one: Values, other: Values) => boolean;
  /** The item of a record with these values. */
  readonly withValues: (record: ListedItem<L>, values: Values) => ListedItem<L>;
}

/** The records of a call, and the values that they are to have. */
interface BulkAsked<Values extends object> {
  readonly ids: readonly number[];
  readonly scope: Scope;
  readonly values: Values;
}

/** Records in the order of the request. */
interface ShownRecords<L extends UndoableList> extends Found<ListedFields<L>> {
  readonly items: ListedFields<L>[];
}

/** The records of a bulk change in the order of the request, as they are after it. */
interface BulkChange<L extends UndoableList> extends ShownRecords<L> {
  /** Undefined if no record was written. */
  readonly changeId: string | undefined;
  readonly isRepetition?: true;
}

/**
 * Sets values of records in one transaction, with the item of the change, or writes nothing (D18). Records that have
 * the values are only checked. A repetition of a request with an Idempotency-Key writes nothing and shows the records
 * as they are (D32). Refuses as `busy` if others change or hold the records for 3 seconds.
 */
export function changeTogether<L extends UndoableList, Values extends object>(
  kind: BulkKind<L, Values>,
  asked: BulkAsked<Values>,
  context: ChangeContext,
): Promise<BulkChange<L>> {
  return retryConflicts(async (count, leftMs) => {
    const read = () => readRecordsWithin(kind.list, asked.ids, asked.scope);
    const [earlier, found] = await Promise.all([findEarlier(context), read()]);
    // The records that were read beside the change may be older than it.
    if (earlier)
      return { ...shownRecords((await read()).map(unchanged)), changeId: shownId(earlier), isRepetition: true };
    const steps = stepsOf(kind, asked, found);
    if (!context.key && steps.every(({ next }) => next === undefined))
      return { ...shownRecords(steps), changeId: undefined };
    const change = await commitSteps(kind, steps, context, { count, leftMs });
    return change && { ...shownRecords(steps), changeId: shownId(change) };
  }, paces.bulk);
}

/**
 * Writes the steps of a change with its item in one transaction, once the caller is authorized. Undefined if others came
 * first, or undid the change that this one undoes; throws if others' transactions hold the items.
 */
export async function commitSteps<L extends UndoableList, Values extends object>(
  { list, valuesOf }: BulkKind<L, Values>,
  steps: readonly RecordStep<L>[],
  context: ChangeContext,
  attempt: Attempt,
  undone?: ChangeItem,
) {
  const changed = steps.flatMap(({ record, next }) =>
    next ? [{ id: record.id, revision: record.revision + 1, before: valuesOf(record) }] : [],
  );
  const change = { ...(await context.change), ...(undone && { undoes: undone.change_id }) };
  const stored = newChange(list, changed, context, change);
  const stamps = { changed_by: context.caller.userId };
  const writes = steps.map(({ record, next }) =>
    next ? replaceItem(record, next, { now: context.now, change, notifies: true }, stamps) : requireUnchanged(record),
  );
  const ends = undone ? [markUndone(undone, change.id)] : [];
  const counts = steps.flatMap(({ record, next }) => (next ? listWrites(list, record, next).counts : []));
  const failed = await commitOnce([...writes, ...ends, putChange(stored)], counts, attempt);
  return failed.length > 0 ? undefined : stored;
}

/** The steps of a change. Refuses if a record is missing, or if an undo could not restore all of them. */
function stepsOf<L extends UndoableList, Values extends object>(
  { list, idsPath, isSame, valuesOf, withValues }: BulkKind<L, Values>,
  { ids, values }: BulkAsked<Values>,
  found: readonly ListedItem<L>[],
): RecordStep<L>[] {
  requireAll(ids, found);
  const steps = found.map((record) => ({
    record,
    next: isSame(valuesOf(record), values) ? undefined : withValues(record, values),
  }));
  requireTransactionLimits(list, idsPath, steps);
  return steps;
}

function unchanged<L extends UndoableList>(record: ListedItem<L>): RecordStep<L> {
  return { record, next: undefined };
}

function shownRecords<L extends UndoableList>(steps: readonly RecordStep<L>[]): ShownRecords<L> {
  const items = steps.map(({ record, next }) => toFields<L>(next ?? record));
  return { items, total: items.length };
}
