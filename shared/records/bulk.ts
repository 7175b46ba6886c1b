import type * as v from "valibot";
import type { RequestKey, Role, Scope } from "../contract/operation.ts";
import { fieldsInvalid } from "../contract/refusals.ts";
import type { Found } from "../run/paging.ts";
import { type Count, counterKey } from "../table/counters.ts";
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

/** A record, and the item that it becomes with what that counts; without one it has the values already. */
interface RecordStep<L extends UndoableList> {
  readonly record: ListedItem<L>;
  readonly next: ListedItem<L> | undefined;
  readonly counts: readonly Count[];
}

/** The step of a record to an item. */
export function stepTo<L extends UndoableList>(
  list: L,
  record: ListedItem<L>,
  next: ListedItem<L> | undefined,
): RecordStep<L> {
  return { record, next, counts: next ? listWrites(list, record, next).counts : [] };
}

/**
 * Refuses with `too_long` a change that one transaction could not undo (D18). The transaction has the records, two
 * change items, and a counter for each company and for each of its months. The detail says how many ids fit.
 */
function requireTransactionLimits(idsPath: readonly string[], steps: readonly RecordStep<UndoableList>[]): void {
  const within = countWithinLimits(steps);
  if (within === steps.length) return;
  const fittingIds = `the first ${within} of these ${steps.length}`;
  const detail = `must be fewer: ${fittingIds} fit into one transaction, with their companies, months and sizes`;
  throw fieldsInvalid([{ path: idsPath, code: "too_long", detail }]);
}

function countWithinLimits(steps: readonly RecordStep<UndoableList>[]): number {
  const counters = new Set<string>();
  let bytes = 0;
  for (const [before, { record, counts }] of steps.entries()) {
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

/** The records of a call. */
interface BulkIds {
  readonly ids: readonly number[];
  readonly scope: Scope;
}

/** The records of a call, and the values that they are to have. */
interface BulkAsked<Values extends object> extends BulkIds {
  readonly values: Values;
}

/** The state that a bulk change begins from. */
export interface BulkRead<L extends UndoableList> {
  /** The change that the same request made before (D32). */
  readonly earlier: ChangeItem | undefined;
  /** The records that there are within the scope. */
  readonly found: readonly ListedItem<L>[];
}

/** Reads the records of a bulk change and the change of its key. n read units and one for every 4 KB of the change; one round trip. */
export async function readBulk<L extends UndoableList>(
  list: L,
  { ids, scope }: BulkIds,
  key: RequestKey | undefined,
): Promise<BulkRead<L>> {
  const [earlier, found] = await Promise.all([findEarlier(key), readRecordsWithin(list, ids, scope)]);
  return { earlier, found };
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
 * as they are (D32). Refuses as `busy` if others change or hold the records for 3 seconds. `begun` is what was read already.
 */
export function changeTogether<L extends UndoableList, Values extends object>(
  kind: BulkKind<L, Values>,
  asked: BulkAsked<Values>,
  context: ChangeContext,
  begun?: BulkRead<L>,
): Promise<BulkChange<L>> {
  return retryConflicts(async (count, leftMs) => {
    const read = () => readBulk(kind.list, asked, context.key);
    const { earlier, found } = (count === 0 && begun) || (await read());
    if (earlier) {
      // The records that were read beside the change may be older than it.
      const steps = (await read()).found.map((record) => stepTo(kind.list, record, undefined));
      return { ...shownRecords(steps), changeId: shownId(earlier), isRepetition: true };
    }
    const steps = stepsOf(kind, asked, found);
    const isKept = context.key !== undefined || steps.some(({ next }) => next !== undefined);
    if (!isKept) return { ...shownRecords(steps), changeId: undefined };
    const change = await commitSteps(kind, steps, context, { count, leftMs });
    return change && { ...shownRecords(steps), changeId: shownId(change) };
  }, paces.bulk);
}

/**
 * Writes the steps of a change with its item in one transaction. Undefined if others came first, or undid the change that
 * this one undoes; throws if others' transactions hold the items.
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
  const change = { ...context.change, ...(undone && { undoes: undone.change_id }) };
  const stored = newChange(list, changed, context, change);
  const stamps = { changed_by: context.caller.userId };
  const writes = steps.map(({ record, next }) =>
    next ? replaceItem(record, next, { now: context.now, change, notifies: true }, stamps) : requireUnchanged(record),
  );
  const ends = undone ? [markUndone(undone, change.id)] : [];
  const counts = steps.flatMap((step) => step.counts);
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
  const steps = found.map((record) =>
    stepTo(list, record, isSame(valuesOf(record), values) ? undefined : withValues(record, values)),
  );
  requireTransactionLimits(idsPath, steps);
  return steps;
}

function shownRecords<L extends UndoableList>(steps: readonly RecordStep<L>[]): ShownRecords<L> {
  const items = steps.map(({ record, next }) => toFields<L>(next ?? record));
  return { items, total: items.length };
}
