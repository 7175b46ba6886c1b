import * as v from "valibot";
import { undoChange as operation } from "../../shared/contract/changes.ts";
import type { Caller } from "../../shared/contract/operation.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import { idempotent } from "../../shared/http/endpoint.ts";
import { authorizePayment } from "../../shared/people/passcodes.ts";
import { type BulkKind, commitSteps } from "../../shared/records/bulk.ts";
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

/** A change that undid another. */
interface UndoneChange {
  readonly id: string;
  readonly list: UndoableList;
  readonly recordIds: number[];
  /** Present if an earlier run of the same request made it (D32). */
  readonly isRepetition?: true;
}

/**
 * Access pattern CH1: restores every record of a change in one transaction, or none (D41). Refuses with
 * `record_not_found` if there is no such change or it is another's, with `change_undone`, with `change_expired` after 24
 * hours, with `changed_since` and the ids of records that were written since, and with `busy` if others hold them for 3 seconds. The
 * records are read while the caller is authorized. n read units and one for every 4 KB of the change; three round trips.
 */
export function restoreRecords(changeId: string, context: ChangeContext): Promise<UndoneChange> {
  return retryConflicts(async (count, leftMs) => {
    const [earlier, found] = await Promise.all([findEarlier(context), findChange(changeId)]);
    if (earlier && isUndoable(earlier)) return repetitionOf(earlier);
    if (!found || !isUndoable(found) || !mayUndo(found, context.caller)) throw recordNotFound();
    if (found.undone_by !== undefined) {
      // Between the two reads an equal request may have undone it.
      const equal = await findEarlier(context);
      if (equal && isUndoable(equal)) return repetitionOf(equal);
      throw new Refusal("change_undone", "The change has been undone");
    }
    requireOpen(found, context.now);
    const undo = await (found.list === "TIMESHEETS"
      ? restore(timesheetStateChange, found, context, { count, leftMs })
      : restore(jobTimers, found, context, { count, leftMs }));
    return undo && shownUndo(undo);
  }, paces.bulk);
}

/** Returns the change that undoes; undefined if others came first. */
async function restore<L extends UndoableList, Values extends object>(
  kind: BulkKind<L, Values>,
  undone: ChangeItem,
  context: ChangeContext,
  attempt: Attempt,
): Promise<ChangeItem | undefined> {
  const records = await readUntouched(kind.list, undone);
  const steps = records?.map((record, at) => {
    const before = v.parse(kind.schema, undone.records[at]?.before);
    return { record, next: kind.withValues(record, before) };
  });
  return steps && commitSteps(kind, steps, context, attempt, undone);
}

function repetitionOf(earlier: ChangeItem): UndoneChange {
  return { ...shownUndo(earlier), isRepetition: true };
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
async function readUntouched<L extends UndoableList>(
  list: L,
  { change_id, records }: ChangeItem,
): Promise<ListedItem<L>[] | undefined> {
  const items = await readBatch(records.map(({ id }) => listedKey(list, id)));
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

/** Undoes a change of timesheets or timers. A caller with a passcode must send it (D41). */
export const handler = idempotent(
  operation,
  async ({ parameters, ...context }) => {
    const { id, list, recordIds, isRepetition } = await restoreRecords(parameters.id, context);
    const record_type = list === "TIMESHEETS" ? ("Timesheet" as const) : ("Job" as const);
    const change = { id, undone: parameters.id, record_type, record_ids: recordIds };
    return { change, changeId: id, isRepetition };
  },
  { authorize: ({ body, caller, now }) => authorizePayment(caller, body.passcode, now) },
);
