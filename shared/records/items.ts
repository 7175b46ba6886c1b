import type * as v from "valibot";
import type { invoice, timesheet } from "../contract/finance.ts";
import type { job } from "../contract/jobs.ts";
import { isWithin, type Scope } from "../contract/operation.ts";
import { Refusal } from "../contract/refusals.ts";
import { isCalendarDate } from "../contract/values.ts";
import { type FoundPage, type PageStart, totalBeside } from "../run/paging.ts";
import { jobListState, type ListName, type ListPosition } from "../table/counters.ts";
import { defineEntity, type Entity, type RecordItem } from "../table/entity.ts";
import { readBatch } from "../table/reads.ts";
import {
  type Item,
  type Key,
  type Mark,
  noMark,
  padId,
  publicNameOf,
  type RecordKind,
  recordKey,
} from "../table/table.ts";

/** The fields of a record that place it; which of them count is the list's matter. */
export interface PositionFields {
  readonly id?: unknown;
  readonly state?: unknown;
  readonly date?: unknown;
  readonly issued_date?: unknown;
  readonly number?: unknown;
}

const shapes = {
  INVOICES: { state: "state", date: "issued_date", number: "number" },
  TIMESHEETS: { state: "state", date: "date", number: undefined },
  JOBS: { state: undefined, date: undefined, number: undefined },
} as const satisfies Record<ListName, Record<string, keyof PositionFields | undefined>>;

/** The state of a record in its list, or the calendar date that date filters compare with; empty where it has none. */
export function listedField(list: ListName, name: "state" | "date", fields: PositionFields): string {
  const field = shapes[list][name];
  return String((field && fields[field]) ?? "");
}

/** The first reason why a record has no place in its list; undefined if it has one. */
export function positionFault(list: ListName, companyId: unknown, fields: PositionFields): string | undefined {
  const { state, date, number } = shapes[list];
  const faults = [
    Number.isSafeInteger(fields.id) || "id is not a whole number",
    Number.isSafeInteger(companyId) || "company_id is not a whole number",
    !state || isText(fields[state]) || `${state} is not a text`,
    !date || isCalendarDate(String(fields[date])) || `${date} is not a calendar date`,
    !number || isText(fields[number]) || `${number} is not a text`,
  ];
  const fault = faults.find((each) => each !== true);
  return fault && `The record's ${fault}`;
}

/** The place of a record of a company. Throws if the record lacks an attribute that its list is sorted by. */
export function positionOf(list: ListName, companyId: unknown, fields: PositionFields): ListPosition {
  const fault = positionFault(list, companyId, fields);
  if (fault !== undefined) throw new Error(fault);
  const { state, date, number } = shapes[list];
  return {
    id: Number(fields.id),
    companyId: Number(companyId),
    state: state ? String(fields[state]) : jobListState,
    date: date ? String(fields[date]) : null,
    number: number ? String(fields[number]) : null,
  };
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

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
interface ListKeys {
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
function listKeys(
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

/** A timesheet, invoice or job as it is stored. */
interface FieldsByList {
  readonly TIMESHEETS: v.InferInput<typeof timesheet>;
  readonly INVOICES: v.InferInput<typeof invoice>;
  readonly JOBS: v.InferInput<typeof job>;
}

/** The interface's fields of a record of a list. */
export type ListedFields<L extends ListName> = FieldsByList[L];

/** A timesheet, invoice or job as the table has it: the interface's fields beside what only the service knows. */
export interface ListedItem<L extends ListName> extends RecordItem, Partial<ListKeys> {
  readonly id: number;
  /** The tenant (D2). */
  readonly company_id: number;
  readonly record: Omit<ListedFields<L>, "id">;
  /** Of a timesheet: when somebody who was forgotten was taken out of it last, in UTC; that is no revision. */
  readonly erased_at?: string;
  /** Of a job: when its offer window closes, and the seconds that were sent (D24). */
  readonly timer?: number;
  readonly timer_expires_at?: string | null;
}

const kinds = { TIMESHEETS: "TIMESHEET", INVOICES: "INVOICE", JOBS: "JOB" } as const satisfies Record<
  ListName,
  ListedKind
>;

/** The entities of the records that stand in lists. */
export const listedItems: { readonly [L in ListName]: Entity<ListedItem<L>> } = {
  TIMESHEETS: defineEntity("timesheet", ({ sk }) => sk === "TIMESHEET"),
  INVOICES: defineEntity("invoice", ({ sk }) => sk === "INVOICE"),
  JOBS: defineEntity("job", ({ sk }) => sk === "JOB"),
};

/** Key of a record of a list. */
export function listedKey(list: ListName, id: number): Key {
  return recordKey(kinds[list], id);
}

/** The fields of a record with its tenant, as an import line names them. */
export type TenantFields<L extends ListName> = ListedFields<L> & { readonly company_id: number };

/** The fields of a stored record with its tenant. */
export function toTenantFields<L extends ListName>({ id, company_id, record }: ListedItem<L>): TenantFields<L> {
  return { id, company_id, ...record } as unknown as TenantFields<L>;
}

/** The item that holds these fields in place of the one that is stored, with its place in the lists. */
export function fromTenantFields<L extends ListName>(
  list: L,
  fields: TenantFields<L>,
  stored: ListedItem<L> | undefined,
): ListedItem<L> {
  const { id, company_id, ...record } = fields;
  const keys = listKeys(list, company_id, { ...record, id });
  const next = { ...stored, ...listedKey(list, id), id, company_id, record, ...keys };
  return listedItems[list].encode(next as unknown as ListedItem<L>);
}

/** A record with some fields changed, with its place in the lists. */
export function withFields<L extends ListName>(
  list: L,
  stored: ListedItem<L>,
  changed: Partial<ListedFields<L>>,
): ListedItem<L> {
  return fromTenantFields(list, { ...toTenantFields(stored), ...changed }, stored);
}

/** The revision of a record as it was read; 0 if there is none. */
export function revisionOf(item: Item | undefined): number {
  return (item as Partial<RecordItem> | undefined)?.revision ?? 0;
}

/** The attributes that a page needs, from an index or from the record itself. */
export interface ListRow<L extends ListName> {
  readonly pk: string;
  readonly sk: string;
  readonly id: number;
  readonly record: Omit<ListedFields<L>, "id">;
}

/** Throws on an item without a record, naming its key. */
export function requireWhole<L extends ListName>(stored: ListedItem<L>): ListedItem<L> {
  if (typeof stored.record === "object" && stored.record !== null) return stored;
  throw new Error(`The item ${publicNameOf(stored)} has no record`);
}

/** Reads a row of a list. Throws on one without a record, naming its key. */
export function toRow<L extends ListName>(list: L, item: Item): ListRow<L> {
  const row = requireWhole(listedItems[list].decode(item));
  // An index by month has the id in its order alone.
  return row.id === undefined ? { ...row, id: Number(row.day_id?.slice(3)) } : row;
}

/** The interface's fields of a record. */
export function toFields<L extends ListName>({ id, record }: Pick<ListRow<L>, "id" | "record">): ListedFields<L> {
  return { ...record, id } as unknown as ListedFields<L>;
}

/** Cuts a page out of the rows from its start on, in any order; one row more than the page says that more follow. */
export function cutPage<L extends ListName>(
  rows: readonly ListRow<L>[],
  total: number,
  start: PageStart,
): FoundPage<ListedFields<L>> {
  const end = start.skip + start.limit;
  const newest = rows.toSorted((a, b) => b.id - a.id);
  return toPage(newest.slice(start.skip, end), totalBeside(rows, total, start), rows.length > end);
}

/** The page of these rows. */
export function toPage<L extends ListName>(rows: readonly ListRow<L>[], total: number, hasMore: boolean) {
  return { items: rows.map(toFields<L>), total, hasMore };
}

/**
 * Reads records by id, in their order; those that are absent or outside the scope are left out (D2). n read units, by
 * `BatchGetItem`.
 */
export async function readRecordsWithin<L extends ListName>(
  list: L,
  ids: readonly number[],
  scope: Scope,
): Promise<ListedItem<L>[]> {
  const items = await readBatch(ids.map((id) => listedKey(list, id)));
  const records = items.flatMap((item) => (item ? [listedItems[list].decode(item)] : []));
  return records.filter(({ company_id }) => isWithin(scope, company_id)).map(requireWhole);
}

/** Refuses with `records_not_found`, and the missing ids, if some of the records were not found (D2, D18). */
export function requireAll(ids: readonly number[], found: readonly { readonly id: number }[]): void {
  const foundIds = new Set(found.map(({ id }) => id));
  const missing = ids.filter((id) => !foundIds.has(id));
  if (missing.length > 0) throw recordsNotFound(missing);
}

/**
 * Access pattern R5: reads one record within the scope. The read is consistent, because a push leads to the record
 * right after its write (D39). Refuses with `record_not_found` if the record is absent or outside the scope, or if the
 * id is none: all three look alike (D2). 1 read unit, by `GetItem`.
 */
export async function requireRecord<L extends ListName>(
  list: L,
  id: number | undefined,
  scope: Scope,
): Promise<ListedItem<L>> {
  const stored = id === undefined ? undefined : await listedItems[list].find(listedKey(list, id), { consistent: true });
  if (!stored || !isWithin(scope, stored.company_id)) throw recordNotFound();
  return requireWhole(stored);
}

/** The refusal of a record that is missing or not the caller's: both look alike (D2). */
export function recordNotFound(): Refusal {
  return new Refusal("record_not_found", "The record does not exist");
}

/** The refusal of a bulk operation over records that are missing or another company's: both look alike (D2, D18). */
function recordsNotFound(missingIds: readonly number[]): Refusal {
  return new Refusal("records_not_found", "Some of the records do not exist", { missingIds });
}
