import { hash } from "node:crypto";
import * as v from "valibot";
import type { Operation } from "../contract/operation.ts";
import { paging } from "../contract/query.ts";
import { Refusal } from "../contract/refusals.ts";
import { msPerDay } from "../contract/values.ts";

/**
 * An opaque position in a list: just after `lastId`, with a digest of its fingerprint. Never trusted for scope (D30).
 */
export function encodeCursor(lastId: number, fingerprint: string): string {
  return Buffer.from(`${lastId}.${digest(fingerprint)}`).toString("base64url");
}

/** The id before the cursor's position; undefined for a malformed cursor or another list's. */
export function decodeCursor(cursor: string, fingerprint: string): number | undefined {
  const [, lastId, own] = /^([1-9][0-9]{0,15})\.([\w-]{16})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  const isOwn = own === digest(fingerprint) && cursor === encodeCursor(Number(lastId), fingerprint);
  return isOwn ? Number(lastId) : undefined;
}

function digest(fingerprint: string): string {
  return hash("sha256", fingerprint, "base64url").slice(0, 16);
}

/** The parts of a list that its cursors depend on. */
export type FilteredList = Pick<Operation, "name" | "query">;

/**
 * Identifies the list of a cursor: its name and its validated query except paging. A filter that is absent or has its
 * default value leaves no trace, so that cursors stay valid when a release adds a filter.
 */
export function listFingerprint({ name: list, query: schema }: FilteredList, query: object): string {
  const filters = Object.entries(query).filter(([name, value]) => !(name in paging) && value !== undefined);
  if (filters.length === 0) return list;
  const absent = new Map(Object.entries(schema ? (v.parse(schema, {}) as object) : {}));
  const set = filters.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(absent.get(name)));
  return set.length === 0 ? list : JSON.stringify([list, ...set.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Deepest place a page number may reach, in items; deeper goes by cursor (D30). */
export const maxPageDepth = 1_000;

/** The paging parameters of a request, validated. */
export interface PagingQuery {
  /** 1 for the first page; absent, the first page or the one the cursor leads to. */
  readonly page?: number | undefined;
  readonly per_page: number;
  readonly cursor?: string | undefined;
}

/** The start of a page in a list by descending id: after an id, or after a number of items. */
export interface PageStart {
  readonly limit: number;
  /** Only items with a lower id; undefined from the top. */
  readonly beforeId: number | undefined;
  /** Items to pass over from there. */
  readonly skip: number;
}

/** Finds where a page starts. A cursor wins over a page number, and must be of the list with that fingerprint (D30). */
export function pageStart(paging: PagingQuery, fingerprint: string): PageStart {
  const limit = paging.per_page;
  if (paging.cursor) {
    const beforeId = decodeCursor(paging.cursor, fingerprint);
    if (beforeId === undefined) throw cursorInvalid();
    return { limit, beforeId, skip: 0 };
  }
  return { limit, beforeId: undefined, skip: ((paging.page ?? 1) - 1) * limit };
}

/**
 * A page that is too deep for a number: empty if it is past the end, otherwise refused. Only the total and the newest
 * row are read; that row shows if the total of an empty list is late.
 */
async function readTooDeep<T>({ skip, limit }: PageStart, read: ReadFound<T>): Promise<FoundPage<T>> {
  const { total } = await read({ limit: 0, beforeId: undefined, skip: 0 });
  if (skip >= total) return { items: [], total, hasMore: false };
  const last = Math.floor(maxPageDepth / limit);
  const detail = `must be at most ${last} with per_page ${limit}; follow the Link header's cursor to go deeper`;
  throw new Refusal("page_too_deep", "The page is too deep for a page number; use cursor", {
    errors: [{ parameter: "page", code: "out_of_range", detail }],
  });
}

/** The refusal of a cursor that is malformed or of another list. */
export function cursorInvalid(): Refusal {
  const detail = "is not a cursor of this list with these filters";
  return new Refusal("cursor_invalid", "The cursor is malformed or belongs to another list", {
    errors: [{ parameter: "cursor", code: "invalid", detail }],
  });
}

/** Items of a list. */
export interface Found<T> {
  readonly items: readonly T[];
  /** Number of matches on all pages. */
  readonly total: number;
}

/** One page as the table has it. */
export interface FoundPage<T> extends Found<T> {
  /** True when more items follow. */
  readonly hasMore: boolean;
}

/**
 * The total of a page whose rows are read apart from it, so that one may be late. If the rows from the top on end here,
 * their number is the total; else the total is at least their number. So no page contradicts its total (D30).
 */
export function totalBeside(rows: readonly unknown[], total: number, { beforeId, skip, limit }: PageStart): number {
  const isWhole = beforeId === undefined && rows.length <= skip + limit;
  return isWhole ? rows.length : Math.max(total, rows.length);
}

/** One page as a list answers it. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Number of matches on all pages; absent if the list is read by cursor alone. */
  readonly total?: number;
  /** The position of the page; absent on answers that are never paginated (D18). */
  readonly place?: PagePosition;
  /** The most that is shown of a list that is never paginated; absent where that is the usual number. */
  readonly perPage?: number;
}

/** The place of a page in its list. */
export interface PagePosition {
  /** 1 for the first page; undefined when a cursor led here without a number. */
  readonly number: number | undefined;
  readonly perPage: number;
  /** Leads to the next page; undefined on the last one. */
  readonly nextCursor: string | undefined;
}

/**
 * Reads the page that the validated query of a list asks for, and places it (D30). Parameters of its path have to be in
 * `query` too: a cursor holds for their values alone then.
 */
export async function readPage<T extends { readonly id: number }>(
  list: FilteredList,
  query: PagingQuery & Readonly<Record<string, unknown>>,
  read: ReadFound<T>,
): Promise<Page<T>> {
  const fingerprint = listFingerprint(list, query);
  const start = pageStart(query, fingerprint);
  const isTooDeep = start.skip + start.limit > maxPageDepth;
  return placePage(query, fingerprint, await (isTooDeep ? readTooDeep(start, read) : read(start)));
}

/** Reads a page of a list from a place on. */
type ReadFound<T> = (start: PageStart) => FoundPage<T> | Promise<FoundPage<T>>;

/** Places a page that was read in its list, with the cursor that leads on. */
export function placePage<T extends { readonly id: number }>(
  paging: PagingQuery,
  fingerprint: string,
  { items, total, hasMore }: FoundPage<T>,
): Page<T> {
  const last = items.at(-1);
  const place: PagePosition = {
    number: paging.page ?? (paging.cursor ? undefined : 1),
    perPage: paging.per_page,
    nextCursor: hasMore && last ? encodeCursor(last.id, fingerprint) : undefined,
  };
  return { items, total, place };
}

/** The page of a list that cannot hold anything. */
export const nothingFound = { items: [], total: 0, hasMore: false } as const;

/** A range of calendar dates, both ends included. A missing end is open (D21). */
export interface DateRange {
  readonly fromDate?: string | undefined;
  readonly toDate?: string | undefined;
}

/** True if a date is within a range. */
export function isWithinRange(date: string, { fromDate, toDate }: DateRange): boolean {
  return (fromDate === undefined || date >= fromDate) && (toDate === undefined || date <= toDate);
}

/** Most days of a list that reads every record of its range: a year, and a month of the one before. */
export const mostDays = 400;
/** The last day that a date has a text for. */
const lastDay = "9999-12-31";

/** A range of calendar dates with two ends. */
export type BoundedRange = Required<{ readonly [End in keyof DateRange]: string }>;

/**
 * The range of a list that reads every record in it: at most 400 days, or as many to today (UTC) if it has no end. Without a
 * beginning it has the last 400 days. Refuses a longer one with `query_too_broad`.
 */
export function boundedRange({ fromDate, toDate }: DateRange, now: Date): BoundedRange {
  const end = Date.parse(toDate ?? now.toISOString().slice(0, 10));
  const earliest = new Date(end - (mostDays - 1) * msPerDay).toISOString().slice(0, 10);
  if (fromDate !== undefined && fromDate < earliest) throw tooLong(earliest);
  return { fromDate: fromDate ?? earliest, toDate: toDate ?? lastDay };
}

function tooLong(earliest: string): Refusal {
  const detail = `must be ${earliest} or later, or to_date earlier: a range has at most ${mostDays} days, to today without to_date`;
  return new Refusal("query_too_broad", "The range of dates is too long", {
    errors: [{ parameter: "from_date", code: "too_broad", detail }],
  });
}
