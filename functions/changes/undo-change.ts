import * as v from "valibot";
import { undoChange as operation } from "../../shared/contract/changes.ts";
import type { Caller } from "../../shared/contract/operation.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import { idempotent } from "../../shared/http/endpoint.ts";
import { authorizePayment } from "../../shared/people/passcodes.ts";
import { type BulkKind, commitSteps, stepTo } from "../../shared/records/bulk.ts";
import {
  type ChangeContext,
  type ChangeItem,
  findChange,
  findEarlier,
  type UndoableList,
} from "../../shared/records/changes.ts";
import { type ListedItem, listedItems, listedKey, recordNotFound } from "../../shared/records/items.ts";
import { jobTimers } from "../../shared/records/jobs.ts";
import { timesheetStateChange } from "../../shared/records/timesheets.ts";
import type { Attempt } from "../../shared/table/plans.ts";
import { readBatch } from "../../shared/table/reads.ts";
import { paces, retryConflicts } from "../../shared/table/retry.ts";
import type { Item } from "../../shared/table/table.ts";

/** Undoes a change of timesheets or timers. A caller with a passcode must send it (D41). */
export const handler = idempotent(operation, {
  authorize: ({ body, caller, now, holder }) => authorizePayment(caller, body.passcode, now, holder),
  read: ({ parameters, ...request }) => readUndo(parameters.id, request),
  write: async ({ parameters, ...context }, begun) => {
    const { id, list, recordIds, isRepetition } = await restoreRecords(parameters.id, context, begun);
    const record_type = list === "TIMESHEETS" ? ("Timesheet" as const) : ("Job" as const);
    const change = { id, undone: parameters.id, record_type, record_ids: recordIds };
    return { change, changeId: id, isRepetition };
  },
});

/** A change that undid another. */
interface UndoneChange {
  readonly id: string;
  readonly list: UndoableList;
  readonly recordIds: number[];
  /** Present if an earlier run of the same request made it (D32). */
  readonly isRepetition?: true;
}

/** The state that an undo begins from: the change to undo and its records as they are stored, or the change of an equal request. */
type UndoRead =
  | { readonly undone: ChangeItem; readonly items: readonly (Item | undefined)[] }
  | { readonly earlier: ChangeItem };

/** Reads what an undo needs. Refuses one that cannot be. n read units and one for every 4 KB of the change; two round trips. */
async function readUndo(
  changeId: string,
  { caller, now, key }: Pick<ChangeContext, "caller" | "now" | "key">,
): Promise<UndoRead> {
  const [earlier, found] = await Promise.all([findEarlier(key), findChange(changeId)]);
  if (earlier && isUndoable(earlier)) return { earlier };
  if (!found || !isUndoable(found) || !mayUndo(found, caller)) throw recordNotFound();
  if (found.undone_by !== undefined) {
    // Between the two reads an equal request may have undone it.
    const equal = await findEarlier(key);
    if (equal && isUndoable(equal)) return { earlier: equal };
    throw new Refusal("change_undone", "The change has been undone");
  }
  requireOpen(found, now);
  return { undone: found, items: await readBatch(found.records.map(({ id }) => listedKey(found.list, id))) };
}

/**
 * Access pattern CH1: restores every record of a change in one transaction, or none (D41). Refuses with
 * `record_not_found` if there is no such change or it is another's, with `change_undone`, with `change_expired` after 24
 * hours, with `changed_since` and the ids of records that were written since, and with `busy` if others hold them for 3
 * seconds. `begun` is what was read already. n read units and one for every 4 KB of the change; three round trips.
 */
export function restoreRecords(changeId: string, context: ChangeContext, begun?: UndoRead): Promise<UndoneChange> {
  return retryConflicts(async (count, leftMs) => {
    const read = (count === 0 && begun) || (await readUndo(changeId, context));
    if ("earlier" in read) return { ...shownUndo(read.earlier), isRepetition: true };
    const { undone, items } = read;
    const undo = await (undone.list === "TIMESHEETS"
      ? restore(timesheetStateChange, undone, items, context, { count, leftMs })
      : restore(jobTimers, undone, items, context, { count, leftMs }));
    return undo && shownUndo(undo);
  }, paces.bulk);
}

/** Returns the change that undoes; undefined if others came first. */
async function restore<L extends UndoableList, Values extends object>(
  kind: BulkKind<L, Values>,
  undone: ChangeItem,
  items: readonly (Item | undefined)[],
  context: ChangeContext,
  attempt: Attempt,
): Promise<ChangeItem | undefined> {
  const records = await requireUntouched(kind.list, undone, items);
  const steps = records?.map((record, at) =>
    stepTo(kind.list, record, kind.withValues(record, v.parse(kind.schema, undone.records[at]?.before))),
  );
  return steps && commitSteps(kind, steps, context, attempt, undone);
}

function shownUndo({ change_id: id, list, records }: ChangeItem): UndoneChange {
  return { id, list, recordIds: records.map((record) => record.id) };
}

/** A change that wrote no record is only kept for repetitions of its request. */
function isUndoable({ records }: ChangeItem): boolean {
  return records.length > 0;
}

/** True for the user who made it, in the same role and company, and for admins. */
function mayUndo(change: ChangeItem, { userId, role, companyId }: Caller): boolean {
  const { roles } = change.list === "TIMESHEETS" ? timesheetStateChange : jobTimers;
  const isOwn = change.user_id === userId && change.role === role && change.company_id === companyId;
  return roles.includes(role) && (role === "admin" || isOwn);
}

function requireOpen({ valid_to }: ChangeItem, now: Date): void {
  if (now.toISOString() < valid_to) return;
  throw new Refusal("change_expired", "The change was made more than 24 hours ago");
}

/** The records of a change, in its order; undefined if the change was undone meanwhile. Refuses if some were written since. */
async function requireUntouched<L extends UndoableList>(
  list: L,
  { change_id, records }: ChangeItem,
  items: readonly (Item | undefined)[],
): Promise<ListedItem<L>[] | undefined> {
  const untouched = items.flatMap((item, at) => {
    const record = item && listedItems[list].decode(item);
    return record?.revision === records[at]?.revision && record ? [record] : [];
  });
  if (untouched.length === records.length) return untouched;
  if ((await findChange(change_id))?.undone_by !== undefined) return undefined;
  const untouchedIds = new Set(untouched.map(({ id }) => id));
  const changedIds = records.flatMap(({ id }) => (untouchedIds.has(id) ? [] : [id]));
  throw new Refusal("changed_since", "Some of the records were changed since", { changedIds });
}
