import type { Scope } from "../contract/operation.ts";
import { count, log } from "../run/log.ts";
import type { DateRange } from "../run/paging.ts";
import {
  allMonths,
  type Count,
  counterPartition,
  counters,
  countsBetween,
  type ListName,
  type ListPosition,
  type Months,
  monthOf,
  type StoredCounter,
  stateOfDay,
  totalQueries,
} from "../table/counters.ts";
import { type Item, queryItems, queryPage } from "../table/table.ts";
import type { TransactionWrite } from "../table/writes.ts";
import { type ListedItem, type PositionFields, positionFault, positionOf } from "./items.ts";
import { deleteEntry, entriesMissingIn, entriesOf, putEntry } from "./numbers.ts";
import { knownMonths, readSnapshots } from "./snapshots.ts";

const notFigures = new Set(["writes", "schema_version"]);

/** The records of a list in some states, of one company or of all, within a range of dates (D21). */
export interface ListSelection<L extends ListName = ListName> extends DateRange {
  readonly list: L;
  readonly states: readonly string[];
  readonly scope: Scope;
}

/** The number of records of a state on one day. */
export interface DayCount {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly state: string;
  readonly count: number;
}

/** Most counters of each partition of `by-total` that an answer sums itself. */
const mostCounters = 100;

/** The sums of the figures of a month's counters, or of those of a whole list, by its name. */
type Sums = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Access pattern L3: the number of records in a list, without dates. For one company the read is consistent and costs 1
 * read unit. For all companies it costs up to 13 and is up to a second late, or if they have many counters L5.
 */
export async function countList({ states, ...list }: ListSelection): Promise<number> {
  const sums = await sumCounters(list, { from: allMonths, to: allMonths });
  return states.reduce((total, state) => total + Math.max(0, sums.get(allMonths)?.get(state) ?? 0), 0);
}

/**
 * Access pattern L4: the number of records by day and state in the months of a range, including the days of these months
 * that are outside of the range. 1 read unit for each 4 KB of a company's counters. For all companies half of that for up to 400
 * counters, otherwise L5 for the months that have some.
 */
export async function countDays({ states, fromDate, toDate, ...list }: ListSelection): Promise<DayCount[]> {
  const months = { from: fromDate?.slice(0, 7) ?? "0000-01", to: toDate?.slice(0, 7) ?? "9999-12" };
  return [...(await sumCounters(list, months))].flatMap(([month, figures]) =>
    [...figures].flatMap(([figure, sum]) => {
      const state = stateOfDay(figure);
      if (sum <= 0 || state === undefined || !states.includes(state)) return [];
      return [{ date: `${month}-${figure.slice(0, 2)}`, state, count: sum }];
    }),
  );
}

/** The sums of figures. If two consistent reads agree that one is below zero, the counters are wrong. */
async function sumCounters({ list, scope }: Pick<ListSelection, "list" | "scope">, months: Months): Promise<Sums> {
  if (scope === "all") return sumAllCompanies(list, months);
  const sums = sumOf(await readCompany(list, scope, months));
  if (!hasNegative(sums)) return sums;
  const again = sumOf(await readCompany(list, scope, months));
  if (hasNegative(again)) {
    log("error", "Counters are below zero", { list, company_id: scope });
    count("CountersBelowZero", {});
  }
  return again;
}

function hasNegative(sums: Sums): boolean {
  return [...sums.values()].some((figures) => [...figures.values()].some((sum) => sum < 0));
}

function sumOf(items: readonly Item[]): Sums {
  const sums = new Map<string, Map<string, number>>();
  for (const part of items) {
    const month = monthOf(counters.decode(part));
    const ofMonth = sums.get(month) ?? new Map<string, number>();
    sums.set(month, ofMonth);
    addFigures(ofMonth, part);
  }
  return sums;
}

function readCompany(list: ListName, companyId: number, { from, to }: Months): Promise<Item[]> {
  return queryItems({
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: { ":pk": counterPartition(list, companyId), ":from": `${from}#`, ":to": `${to}#~` },
    ConsistentRead: true,
  });
}

/** The sums of all companies: of their counters if they are few, otherwise those of the last minute. */
async function sumAllCompanies(list: ListName, months: Months): Promise<Sums> {
  const few = await readFew(list, months);
  if (few) return sumOf(few);
  const known =
    months.from === allMonths ? [allMonths] : Object.keys((await readSnapshots(list, [knownMonths]))[0] ?? {});
  const asked = known.filter((month) => month >= months.from && month <= months.to);
  const figures = await readSnapshots(list, asked);
  return new Map(asked.map((month, at) => [month, new Map(Object.entries(figures[at] ?? {}))]));
}

/** The counters of all companies; undefined if they are many. */
async function readFew(list: ListName, months: Months): Promise<Item[] | undefined> {
  const pages = await Promise.all(
    totalQueries(list, months).map((query) => queryPage({ ...query, Limit: mostCounters + 1 })),
  );
  return pages.some(({ lastKey }) => lastKey) ? undefined : pages.flatMap(({ items }) => items);
}

/** Adds the figures of a part to sums. */
export function addFigures(sums: Map<string, number>, part: Item): void {
  for (const name in part) {
    const amount = part[name];
    if (typeof amount === "number" && !notFigures.has(name)) sums.set(name, (sums.get(name) ?? 0) + amount);
  }
}

/** The figures of a part, of whatever state. */
export function figuresOf(part: StoredCounter): Map<string, number> {
  const figures = Object.entries(part).filter(([name, value]) => typeof value === "number" && !notFigures.has(name));
  return new Map(figures);
}

/** The part of a transaction that keeps lists, totals and the search by number in line with a record. */
interface ListWrites {
  readonly writes: readonly TransactionWrite[];
  readonly counts: readonly Count[];
}

/**
 * The search entries and counts that change with a record of a list; an absent item is no record. Nothing changes if
 * the record keeps its company, state, date and number. A damaged record counts as absent, so that a write can repair
 * or remove it; a recount then repairs the counters. Throws if the next item lacks an attribute that its list is sorted
 * by.
 */
export function listWrites<L extends ListName>(
  list: L,
  before: ListedItem<L> | undefined,
  after: ListedItem<L> | undefined,
): ListWrites {
  const [left, entered] = [before ? listPositionOf(list, before) : null, positionOrNull(list, after)];
  const [gone, come] = [entriesOf(left), entriesOf(entered)];
  return {
    writes: [...entriesMissingIn(come, gone).map(deleteEntry), ...entriesMissingIn(gone, come).map(putEntry)],
    counts: countsBetween(list, left, entered),
  };
}

/** The place of a record in its list; null for one that was damaged. */
export function listPositionOf<L extends ListName>(list: L, item: PlacedItem<L>): ListPosition | null {
  return positionFault(list, item.company_id, fieldsOf(item)) === undefined ? positionOrNull(list, item) : null;
}

/** The attributes that place a record in its list. */
type PlacedItem<L extends ListName> = Pick<ListedItem<L>, "id" | "company_id" | "record">;

function positionOrNull<L extends ListName>(list: L, item: PlacedItem<L> | undefined): ListPosition | null {
  return item ? positionOf(list, item.company_id, fieldsOf(item)) : null;
}

function fieldsOf({ id, record }: PlacedItem<ListName>): PositionFields {
  return { ...record, id };
}
