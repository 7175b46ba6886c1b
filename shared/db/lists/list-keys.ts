import { invoiceStates, timesheetStates } from "../../contract/finance.ts";
import type { Scope } from "../../contract/operation.ts";
import { jobListState, type PositionFields, positionOf } from "../../domain/records/list-position.ts";
import type { ListName } from "../../table/counters.ts";
import { type Mark, noMark, padId, type RecordKind } from "../../table/table.ts";

/** The states of the records of a list. */
export const listStates = {
  INVOICES: invoiceStates,
  TIMESHEETS: timesheetStates,
  JOBS: [jobListState],
} as const satisfies Record<ListName, readonly string[]>;

/** The names of the lists. */
export const listNames: readonly ListName[] = ["INVOICES", "TIMESHEETS", "JOBS"];

/** The kinds of record that lists are made of. */
export const listsByKind = {
  TIMESHEET: "TIMESHEETS",
  INVOICE: "INVOICES",
  JOB: "JOBS",
} as const satisfies Partial<Record<RecordKind, ListName>>;

/** A kind of record that stands in a list. */
export type ListedKind = keyof typeof listsByKind;

/** True for the sort key of a record that stands in a list. */
export function isListedKind(sk: string): sk is ListedKind {
  return Object.hasOwn(listsByKind, sk);
}

/** The index attributes that place a record in its lists; those that it has no part in are undefined. */
export interface ListKeys {
  readonly all_key: string;
  readonly company_key: string;
  readonly month_key: string | undefined;
  readonly company_month_key: string | undefined;
  readonly day_id: string | undefined;
  readonly mark_key: string | undefined;
  readonly mark_order: string | undefined;
}

/** The driver of a timesheet, as far as its place depends on it. */
interface Driver {
  readonly profile_id?: unknown;
}

/** The index attributes of a record with these fields. Throws on one that lacks what its list goes by. */
export function listKeys(
  list: ListName,
  companyId: number,
  fields: PositionFields & { readonly due_date?: unknown; readonly driver?: Driver | undefined },
): ListKeys {
  const { id, state, date } = positionOf(list, companyId, fields);
  return {
    all_key: stateKey(list, "all", state),
    company_key: stateKey(list, companyId, state),
    month_key: date === null ? undefined : monthKey(list, "all", state, date),
    company_month_key: date === null ? undefined : monthKey(list, companyId, state, date),
    day_id: date === null ? undefined : dayId(date, id),
    ...sparseKeys(list, id, { state, date, dueDate: fields.due_date, profileId: fields.driver?.profile_id }),
  };
}

/** The fields that decide a record's key in the sparse index. */
type SparseFields = Readonly<Record<"state" | "date" | "dueDate" | "profileId", unknown>>;

/** The key of a pending invoice, or of a timesheet, which has one driver in any state; no other record has one. */
function sparseKeys(list: ListName, id: number, { state, date, dueDate, profileId }: SparseFields) {
  if (list === "INVOICES" && state === "pending" && typeof dueDate === "string") return dueMark(dueDate, id);
  const isDriven = list === "TIMESHEETS" && typeof profileId === "number" && typeof date === "string";
  return isDriven ? driverMark(profileId, date, id) : noMark;
}

/** Partition of a list's records in a state, of one company or of all. */
export function stateKey(list: ListName, scope: Scope, state: string): string {
  return scope === "all" ? `${list}#${state}` : `COMPANY#${scope}#${list}#${state}`;
}

/** Partition of a list's records in a state and in the month of a calendar date. */
export function monthKey(list: ListName, scope: Scope, state: string, date: string): string {
  return `${stateKey(list, scope, state)}#${date.slice(0, 7)}`;
}

/** Place of an id in its month, by day and then by id. */
export function dayId(date: string, id: number): string {
  return `${date.slice(8)}#${padId(id)}`;
}

/** Marks a pending invoice as due on a calendar date. */
export function dueMark(dueDate: string, id: number): Mark {
  return { mark_key: "DUE", mark_order: `${dueDate}#${padId(id)}` };
}

/** Places a timesheet among those of its driver's profile, by date. A change of its state leaves it there. */
export function driverMark(profileId: number, date: string, id: number): Mark {
  return { mark_key: `PROFILE#${profileId}#TIMESHEETS`, mark_order: `${date}#${padId(id)}` };
}
