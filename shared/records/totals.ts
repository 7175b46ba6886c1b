import type { Scope } from "../contract/operation.ts";
import { Refusal } from "../contract/refusals.ts";
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
  monthOf,
  type StoredCounter,
  stateOfDay,
  totalPartitions,
} from "../table/counters.ts";
import { type Item, queryItems, queryPages } from "../table/table.ts";
import type { TransactionWrite } from "../table/writes.ts";
import { type ListedItem, type PositionFields, positionFault, positionOf } from "./items.ts";
import { deleteEntry, entriesMissingIn, entriesOf, putEntry } from "./numbers.ts";

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

/** Most counters of all companies that one answer sums. */
const mostCounters = 10_000;
/** A megabyte of counters takes longer than a call may. */
const countersOfAPage = 500;

/** The sums of the figures of a month's counters, or of those of a whole list, by its name. */
type Sums = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** A range of months, both ends included. */
interface Months {
  readonly from: string;
  readonly to: string;
}

/**
 * Access pattern L3: the number of records in a list, without dates. For one company the read is consistent and costs 1
 * read unit. For all companies the number is up to a second late, and costs half a unit for each 4 KB of their counters.
 */
export async function countList({ states, ...list }: ListSelection): Promise<number> {
  const sums = await sumCounters(list, { from: allMonths, to: allMonths });
  return states.reduce((total, state) => total + Math.max(0, sums.get(allMonths)?.get(state) ?? 0), 0);
}

/**
 * Access pattern L4: the number of records by day and state in the months of a range, including the days of these months
 * that are outside of the range. 1 read unit for each 4 KB of a company's counters, half of that for all companies. If all
 * companies have more than 10,000 counters in these months, it refuses with `query_too_broad`.
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
  if (scope === "all") return sumOf(await readAllCompanies(list, months));
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
  for (const part of items.map(counters.decode)) {
    const month = monthOf(part);
    const ofMonth = sums.get(month) ?? new Map<string, number>();
    sums.set(month, ofMonth);
    for (const [figure, amount] of figuresOf(part)) ofMonth.set(figure, (ofMonth.get(figure) ?? 0) + amount);
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

async function readAllCompanies(list: ListName, { from, to }: Months): Promise<Item[]> {
  const ofMonths = from !== allMonths;
  const found: Item[] = [];
  const readShard = async (partition: string) => {
    const query = {
      IndexName: "by-total",
      KeyConditionExpression: "total_key = :key AND total_order BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":key": partition, ":from": `${from}#`, ":to": `${to}#~` },
      Limit: countersOfAPage,
    };
    for await (const page of queryPages(query)) {
      found.push(...page);
      if (ofMonths && found.length > mostCounters) throw tooManyDates();
    }
  };
  await Promise.all(totalPartitions(list, ofMonths).map(readShard));
  return found;
}

/** The refusal of a range of dates of all companies that takes too much to read. */
export function tooManyDates(): Refusal {
  const detail = "is required for so many dates: reading them for all companies takes too much; or give fewer months";
  return new Refusal("query_too_broad", "The range of dates of all companies is too broad", {
    errors: [{ parameter: "by_company", code: "required", detail }],
  });
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
