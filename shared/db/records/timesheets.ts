import type { TimesheetState } from "../../contract/finance.ts";
import type { Caller, Scope } from "../../domain/caller.ts";
import type { FoundPage, PageStart } from "../../domain/paging/paging.ts";
import { listKeys } from "../lists/list-keys.ts";
import { type ListedFields, type ListedItem, toFields } from "../lists/listed-items.ts";
import { findListPage } from "../lists/lists.ts";
import type { ListSelection } from "../lists/totals.ts";
import { type RacePace, retryRaces } from "../table/conflicts.ts";
import { rememberOrigins } from "../table/origins.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import { updateOf } from "../table/updates.ts";
import { findRecordsWithin } from "./records.ts";

/** Each race reads up to 100 timesheets. */
const pace: RacePace = { races: 5, firstPauseMs: 1, longestPauseMs: 50 };

/**
 * Access pattern T1: puts timesheets into a state, all or none (D17, D18). Refuses with `records_not_found` when one is
 * missing or outside the scope, and as `busy` after 5 lost races. Nothing is written before `authorization` is given, which is
 * asked for while the timesheets are read. `token` names the first transaction (D32). Gives them in the order of the ids. n read
 * units, two round trips.
 */
export async function setTimesheetStates(
  ids: readonly number[],
  scope: Scope,
  state: TimesheetState,
  { userId }: Caller,
  authorization: Promise<void>,
  token?: string,
): Promise<ListedFields<"TIMESHEETS">[]> {
  return retryRaces(async (race) => {
    const found = await findAuthorized(ids, scope, authorization);
    const writes = found.map((record) => moveUnlessChanged(record, state, userId));
    const failed = await transact(writes, { token: race === 0 ? token : undefined });
    if (failed.length > 0) return undefined;
    const updated = found.map((item) => ({ ...toFields<"TIMESHEETS">(item), state, payment_state: state }));
    return rememberOrigins(updated, found);
  }, pace);
}

/** Timesheets as a change would leave them, and those of them that it would change. */
interface TimesheetPlan {
  readonly timesheets: ListedFields<"TIMESHEETS">[];
  readonly changing: ListedFields<"TIMESHEETS">[];
}

/** Access pattern T3: what T1 would do, refused as T1 is (D40). n read units, one round trip. */
export async function planTimesheetStates(
  ids: readonly number[],
  scope: Scope,
  state: TimesheetState,
  authorization: Promise<void>,
): Promise<TimesheetPlan> {
  const found = await findAuthorized(ids, scope, authorization);
  const planned = found.map((item) => ({ ...toFields<"TIMESHEETS">(item), state, payment_state: state }));
  const changing = planned.filter((_, at) => found[at]?.record.state !== state);
  return { timesheets: rememberOrigins(planned, found), changing };
}

async function findAuthorized(
  ids: readonly number[],
  scope: Scope,
  authorization: Promise<void>,
): Promise<ListedItem<"TIMESHEETS">[]> {
  const finding = findRecordsWithin("TIMESHEETS", ids, scope);
  // Both are awaited, the authorization first: the refusal must not depend on which read is faster.
  await Promise.allSettled([authorization, finding]);
  await authorization;
  return finding;
}

/** The index keys are made of company, state and date, so the write holds only while the record is of that company and day. */
function moveUnlessChanged(
  { pk, sk, id, company_id, record }: ListedItem<"TIMESHEETS">,
  state: TimesheetState,
  userId: number,
): TransactionWrite {
  const keys = listKeys("TIMESHEETS", company_id, { ...record, id, state });
  const { all_key, company_key, month_key, company_month_key } = keys;
  const places = { all_key, company_key, month_key, company_month_key };
  const set = { "record.state": state, "record.payment_state": state, ...places, changed_by: userId };
  const where = { company_id, "record.date": record.date };
  return { Update: updateOf({ pk, sk }, { where, set, remove: ["silent"], add: { revision: 1 } }) };
}

/** Access pattern T2: a page of the timesheets that match by `date`, newest id first, and their number (D21, D37). */
export function findTimesheets(
  filter: Omit<ListSelection, "list">,
  start: PageStart,
): Promise<FoundPage<ListedFields<"TIMESHEETS">>> {
  return findListPage({ list: "TIMESHEETS", ...filter }, start);
}
