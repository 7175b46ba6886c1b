import type * as v from "valibot";
import type { invoice, timesheet } from "../../contract/finance.ts";
import type { job } from "../../contract/jobs.ts";
import { type FoundPage, type PageStart, totalBeside } from "../../contract/paging.ts";
import type { ListName } from "../../table/counters.ts";
import { defineEntity, type Entity, type RecordItem } from "../../table/entity.ts";
import type { Item, Key } from "../../table/table.ts";
import { publicNameOf, recordKey } from "../../table/table.ts";
import { type ListedKind, type ListKeys, listKeys } from "./list-keys.ts";

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
