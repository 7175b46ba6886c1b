import * as v from "valibot";
import { bulkUpdateTimesheets, type TimesheetState, timesheetState } from "../contract/finance.ts";
import type { Scope } from "../contract/operation.ts";
import type { FoundPage, PageStart } from "../run/paging.ts";
import { type BulkKind, type BulkRead, changeTogether } from "./bulk.ts";
import type { ChangeContext } from "./changes.ts";
import { type ListedFields, withFields } from "./items.ts";
import { findListPage } from "./lists.ts";
import type { ListSelection } from "./totals.ts";

/** Bulk changes of timesheets set the state. */
export const timesheetStateChange: BulkKind<"TIMESHEETS", { readonly state: TimesheetState }> = {
  list: "TIMESHEETS",
  roles: bulkUpdateTimesheets.access,
  idsPath: ["timesheet", "timesheet_ids"],
  schema: v.object({ state: timesheetState }),
  valuesOf: ({ record: { state } }) => ({ state }),
  isSame: (one, other) => one.state === other.state,
  withValues: (timesheet, { state }) => withFields("TIMESHEETS", timesheet, { state, payment_state: state }),
};

/**
 * Access pattern T1: puts timesheets into a state, all or none (D17, D18). Refuses with `records_not_found` if one is
 * missing or outside the scope, with `fields_invalid` if they do not fit together, and as `busy`. `begun` is what
 * `readBulk` has read already. n read units, two round trips.
 */
export function setTimesheetStates(
  ids: readonly number[],
  scope: Scope,
  state: TimesheetState,
  context: ChangeContext,
  begun?: BulkRead<"TIMESHEETS">,
) {
  return changeTogether(timesheetStateChange, { ids, scope, values: { state } }, context, begun);
}

/** Access pattern T2: a page of the timesheets that match by `date`, newest id first, and their number (D21, D37). */
export function findTimesheets(
  filter: Omit<ListSelection, "list">,
  start: PageStart,
): Promise<FoundPage<ListedFields<"TIMESHEETS">>> {
  return findListPage({ list: "TIMESHEETS", ...filter }, start);
}
