import * as v from "valibot";
import { type TimesheetState, timesheetState } from "../../contract/finance.ts";
import type { Caller, Scope } from "../../domain/caller.ts";
import type { FoundPage, PageStart } from "../../domain/paging/paging.ts";
import { Refusal } from "../../domain/refusal.ts";
import { listKeys } from "../lists/list-keys.ts";
import { type ListedFields, type ListedItem, toFields } from "../lists/listed-items.ts";
import { findListPage } from "../lists/lists.ts";
import type { ListSelection } from "../lists/totals.ts";
import { bytesInTable, mostTransactionBytes } from "../table/item-size.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import type { ReplacedValues, UndoableChange, UndoStamps } from "../table/undo-stamps.ts";
import { checkOf, updateOf } from "../table/updates.ts";
import { type BulkTarget, changeTogether, onceAuthorized, planTogether } from "./bulk-changes.ts";
import { findRecordsWithin } from "./records.ts";
import { type BegunChange, conditionOf, stampsOf, undoStampsOf, withStamps } from "./undoable-changes.ts";

/**
 * Access pattern T1: puts timesheets into a state, all or none (D17, D18); those that have it are left alone. Refuses with
 * `records_not_found` when one is missing or outside the scope, with `fields_invalid` where they are too large together, and as `busy`
 * after 5 lost races. Nothing is written before `authorization` is given, which is asked for while the timesheets are read. `token`
 * names the first transaction (D32). n read units, two round trips.
 */
export function setTimesheetStates(
  ids: readonly number[],
  scope: Scope,
  state: TimesheetState,
  caller: Caller,
  authorization: Promise<void>,
  token?: string,
) {
  const write = (timesheet: ListedItem<"TIMESHEETS">, begun: BegunChange | undefined) =>
    moveTo(timesheet, state, caller.userId, begun);
  return changeTogether(targetOf(ids, scope, state, authorization), write, caller, token);
}

/** Access pattern T3: what T1 would do, refused as T1 is (D40). n read units, one round trip. */
export function planTimesheetStates(
  ids: readonly number[],
  scope: Scope,
  state: TimesheetState,
  authorization: Promise<void>,
) {
  return planTogether(targetOf(ids, scope, state, authorization));
}

function targetOf(
  ids: readonly number[],
  scope: Scope,
  state: TimesheetState,
  authorization: Promise<void>,
): BulkTarget<"TIMESHEETS"> {
  return {
    list: "TIMESHEETS",
    find: async () => requireFitting(await onceAuthorized(authorization, findRecordsWithin("TIMESHEETS", ids, scope))),
    show: (timesheet) => ({ ...toFields<"TIMESHEETS">(timesheet), state, payment_state: state }),
    isReached: ({ record }) => record.state === state,
  };
}

/** Timelogs may be long: refuses more of them than a transaction takes. What it takes can be undone, which needs little more. */
function requireFitting(found: readonly ListedItem<"TIMESHEETS">[]): readonly ListedItem<"TIMESHEETS">[] {
  if (bytesInTable(found) <= mostTransactionBytes) return found;
  const detail = "must be fewer: together the timesheets are too large for one call";
  const errors = [{ pointer: "/timesheet/timesheet_ids", code: "too_long", detail }] as const;
  throw new Refusal("fields_invalid", "Invalid: /timesheet/timesheet_ids", { errors });
}

/** One that has the state has to have it still. */
function moveTo(
  stored: ListedItem<"TIMESHEETS">,
  state: TimesheetState,
  userId: number,
  begun: BegunChange | undefined,
): TransactionWrite {
  const before = { "record.state": stored.record.state };
  if (stored.record.state === state) return { ConditionCheck: checkOf(stored, before) };
  const condition = { ...before, ...conditionOf(stored, begun) };
  return moveWhile(stored, condition, state, userId, stampsOf(stored, begun, { state: stored.record.state }));
}

/** The write that puts a timesheet back into the state that its last change took it out of. */
export function restoreState(
  stored: ListedItem<"TIMESHEETS"> & { readonly undo: ReplacedValues },
  begun: BegunChange,
  undone: UndoableChange,
): TransactionWrite {
  const { state } = v.parse(stateBefore, stored.undo.before);
  const stamps = undoStampsOf(stored, begun, undone, { state: stored.record.state });
  return moveWhile(stored, { revision: stored.revision }, state, begun.kept.user_id, stamps);
}

const stateBefore = v.object({ state: timesheetState });

/** The index keys are made of company, state and date, so the write holds only while the record is of that company and day. */
function moveWhile(
  { pk, sk, id, company_id, record }: ListedItem<"TIMESHEETS">,
  condition: object,
  state: TimesheetState,
  userId: number,
  stamps: UndoStamps,
): TransactionWrite {
  const keys = listKeys("TIMESHEETS", company_id, { ...record, id, state });
  const { all_key, company_key, month_key, company_month_key } = keys;
  const places = { all_key, company_key, month_key, company_month_key };
  const set = { "record.state": state, "record.payment_state": state, ...places, changed_by: userId };
  const where = { company_id, "record.date": record.date, ...condition };
  return { Update: updateOf({ pk, sk }, { where, ...withStamps(set, stamps), add: { revision: 1 } }) };
}

/** Access pattern T2: a page of the timesheets that match by `date`, newest id first, and their number (D21, D37). */
export function findTimesheets(
  filter: Omit<ListSelection, "list">,
  start: PageStart,
): Promise<FoundPage<ListedFields<"TIMESHEETS">>> {
  return findListPage({ list: "TIMESHEETS", ...filter }, start);
}
