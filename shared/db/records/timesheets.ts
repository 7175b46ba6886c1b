import * as v from "valibot";
import { type TimesheetState, timesheetState } from "../../contract/finance.ts";
import type { Scope } from "../../domain/caller.ts";
import type { FoundPage, PageStart } from "../../domain/paging/paging.ts";
import { Refusal } from "../../domain/refusal.ts";
import { type ListedFields, type ListedItem, toFields, withFields } from "../lists/listed-items.ts";
import { findListPage } from "../lists/lists.ts";
import type { ListSelection } from "../lists/totals.ts";
import { bytesInTable, mostTransactionBytes } from "../table/item-size.ts";
import type { ReplacedValues } from "../table/undo-stamps.ts";
import { type BulkTarget, type CallerContext, changeTogether, planTogether } from "./bulk-changes.ts";
import { findRecordsWithin } from "./find-records.ts";

/**
 * Access pattern T1: puts timesheets into a state, all or none (D17, D18); those that have it are left alone. Refuses with
 * `records_not_found` when one is missing or outside the scope, with `fields_invalid` where they are too large together, and as `busy`
 * after 5 lost races. The timesheets are read while the caller is authorized. n read units, two round trips.
 */
export function setTimesheetStates(
  ids: readonly number[],
  scope: Scope,
  state: TimesheetState,
  context: CallerContext,
) {
  return changeTogether(targetOf(ids, scope, state), context);
}

/** Access pattern T3: what T1 would do, refused as T1 is (D40). n read units, one round trip. */
export function planTimesheetStates(
  ids: readonly number[],
  scope: Scope,
  state: TimesheetState,
  authorization: Promise<void>,
) {
  return planTogether(targetOf(ids, scope, state), authorization);
}

function targetOf(ids: readonly number[], scope: Scope, state: TimesheetState): BulkTarget<"TIMESHEETS"> {
  return {
    list: "TIMESHEETS",
    find: async () => requireFitting(await findRecordsWithin("TIMESHEETS", ids, scope)),
    show: (timesheet) => ({ ...toFields<"TIMESHEETS">(timesheet), state, payment_state: state }),
    isReached: ({ record }) => record.state === state,
    next: (timesheet) => withState(timesheet, state),
    replaced: stateOf,
  };
}

/** The item of a timesheet in another state. */
function withState(timesheet: ListedItem<"TIMESHEETS">, state: TimesheetState): ListedItem<"TIMESHEETS"> {
  return withFields("TIMESHEETS", timesheet, { state, payment_state: state });
}

/** The values of a timesheet that a change of its state replaces. */
export function stateOf({ record: { state } }: ListedItem<"TIMESHEETS">) {
  return { state };
}

/** The item of a timesheet with the state that a change of it replaced. */
export function restoreState(
  timesheet: ListedItem<"TIMESHEETS">,
  before: ReplacedValues["before"],
): ListedItem<"TIMESHEETS"> {
  return withState(timesheet, v.parse(stateBefore, before).state);
}

const stateBefore = v.object({ state: timesheetState });

/** Timelogs may be long: refuses more of them than a transaction takes. What it takes can be undone, which needs little more. */
function requireFitting(found: readonly ListedItem<"TIMESHEETS">[]): readonly ListedItem<"TIMESHEETS">[] {
  if (bytesInTable(found) <= mostTransactionBytes) return found;
  const detail = "must be fewer: together the timesheets are too large for one call";
  const errors = [{ pointer: "/timesheet/timesheet_ids", code: "too_long", detail }] as const;
  throw new Refusal("fields_invalid", "Invalid: /timesheet/timesheet_ids", { errors });
}

/** Access pattern T2: a page of the timesheets that match by `date`, newest id first, and their number (D21, D37). */
export function findTimesheets(
  filter: Omit<ListSelection, "list">,
  start: PageStart,
): Promise<FoundPage<ListedFields<"TIMESHEETS">>> {
  return findListPage({ list: "TIMESHEETS", ...filter }, start);
}
