import type * as v from "valibot";
import type { TimesheetState, timesheet } from "../contract/finance.ts";
import type { Caller, Scope } from "../domain/caller.ts";
import { type DateRange, isWithinRange } from "../domain/date-range.ts";
import type { PageStart } from "../domain/paging.ts";
import { busy } from "./conflicts.ts";
import { recordKey } from "./keys.ts";
import { findListPage, findMatchingPage, type ListPage, type ListSelection, listKeys } from "./lists.ts";
import { findRecordsWithin, type StoredRecord } from "./records.ts";
import { type TransactionWrite, transact } from "./transaction.ts";

/** A timesheet as the interface shows it. */
export type Timesheet = v.InferOutput<typeof timesheet>;

const maxAttempts = 5;

/**
 * Access pattern T1: puts timesheets into a state, all or none (D17, D18). Refuses with `records_not_found` when one is
 * missing or outside the scope. Nothing is written before `permit` is given, which is asked for while the
 * timesheets are read. Gives them in the order of the ids. n read units, two round trips.
 */
export async function moveTimesheets(
  ids: readonly number[],
  scope: Scope,
  state: TimesheetState,
  { userId }: Caller,
  permit: Promise<void>,
): Promise<Timesheet[]> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const finding = findRecordsWithin<Timesheet>("TIMESHEET", ids, scope);
    // Both are awaited, the permit first: which refusal is told must not hang on which read is faster.
    await Promise.allSettled([permit, finding]);
    await permit;
    const found = await finding;
    const failed = await transact(found.map((record) => moveUnlessChanged(record, state, userId)));
    if (failed.length === 0) return found.map(({ fields }) => ({ ...fields, state, payment_state: state }));
  }
  throw busy();
}

/** The index keys are made of company and state, so the write holds only while the record is still that company's. */
function moveUnlessChanged(record: StoredRecord<Timesheet>, state: TimesheetState, userId: number): TransactionWrite {
  const keys = listKeys("TIMESHEETS", record.companyId, state);
  return {
    Update: {
      Key: recordKey("TIMESHEET", record.id),
      ConditionExpression: "company_id = :company",
      UpdateExpression:
        "SET #record.#state = :state, #record.payment_state = :state, all_key = :all, company_key = :companyKey, " +
        "changed_by = :user ADD revision :one",
      ExpressionAttributeNames: { "#record": "record", "#state": "state" },
      ExpressionAttributeValues: {
        ":company": record.companyId,
        ":state": state,
        ":all": keys.all_key,
        ":companyKey": keys.company_key,
        ":user": userId,
        ":one": 1,
      },
    },
  };
}

/** What a timesheet must be to be listed; all parts combine with AND (D21, D22). Dates compare with `date`. */
export interface TimesheetFilter extends DateRange {
  readonly scope: Scope;
  readonly states: readonly TimesheetState[];
}

/** Access pattern T2: one page of the timesheets that match, newest id first, and how many match in all (D37). */
export async function findTimesheets(filter: TimesheetFilter, start: PageStart): Promise<ListPage<Timesheet>> {
  const { scope, states, fromDate, toDate } = filter;
  const selection: ListSelection = { list: "TIMESHEETS", states, scope };
  if (fromDate === undefined && toDate === undefined) return findListPage(selection, start);
  return findMatchingPage(selection, { matches: ({ date }: Timesheet) => isWithinRange(date, filter) }, start);
}
