import type { Scope } from "../../domain/caller.ts";
import type { DateRange } from "../../domain/paging/date-range.ts";
import type { ListName } from "../../domain/records/list-position.ts";
import { Refusal } from "../../domain/refusal.ts";
import { log } from "../../logger.ts";
import { count } from "../../metrics.ts";
import { type Item, queryItems, queryPages } from "../table/table.ts";
import { allMonths, counterPartition, dayFigure, readCounter, totalPartitions } from "../writes/counters.ts";

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

/** The sums of figures over all parts of a month's counters, or of all of a list, by its name. */
type Sums = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** The counters of a list that are summed: those of a range of months, both ends included. */
interface Summed extends Pick<ListSelection, "list" | "scope"> {
  readonly from: string;
  readonly to: string;
  readonly figures: readonly string[];
}

/**
 * Access pattern L3: the number of records in a list, without dates. Of a company it is consistent, and costs 1 read
 * unit. Of all companies it follows within a second, and costs half a unit for each 4 KB of their counters.
 */
export async function countList({ list, scope, states }: ListSelection): Promise<number> {
  const sums = await sumCounters({ list, scope, from: allMonths, to: allMonths, figures: states });
  return [...(sums.get(allMonths)?.values() ?? [])].reduce((total, sum) => total + Math.max(0, sum), 0);
}

/**
 * Access pattern L4: the number of records by day and state in the months of a range, with the days of these months that
 * are outside of it. 1 read unit for each 4 KB of a company's counters. Half of that for all companies, which is refused
 * with `query_too_broad` above 10,000 counters.
 */
export async function countDays({ list, scope, states, fromDate, toDate }: ListSelection): Promise<DayCount[]> {
  const named = new Map(days.flatMap((day) => states.map((state) => [dayFigure(day, state), { day, state }] as const)));
  const [from, to] = [fromDate?.slice(0, 7) ?? "0000-01", toDate?.slice(0, 7) ?? "9999-12"];
  const sums = await sumCounters({ list, scope, from, to, figures: [...named.keys()] });
  return [...sums].flatMap(([month, figures]) =>
    [...named].flatMap(([figure, { day, state }]) => {
      const sum = figures.get(figure) ?? 0;
      return sum > 0 ? [{ date: `${month}-${day}`, state, count: sum }] : [];
    }),
  );
}

const days = Array.from({ length: 31 }, (_, at) => `${at + 1}`.padStart(2, "0"));

/** The sums of figures. If two consistent reads agree that one is below zero, the counters are wrong. */
async function sumCounters(summed: Summed): Promise<Sums> {
  if (summed.scope === "all") return sumOf(await readAllCompanies(summed), summed);
  const sums = sumOf(await readCompany(summed, summed.scope), summed);
  if (!hasNegative(sums)) return sums;
  const again = sumOf(await readCompany(summed, summed.scope), summed);
  if (hasNegative(again)) {
    log("error", "Counters are below zero", { list: summed.list, company_id: summed.scope });
    count("CountersBelowZero", {});
  }
  return again;
}

function hasNegative(sums: Sums): boolean {
  return [...sums.values()].some((figures) => [...figures.values()].some((sum) => sum < 0));
}

function sumOf(items: readonly Item[], { figures: names }: Summed): Sums {
  const sums = new Map<string, Map<string, number>>();
  for (const { month, figures } of items.map(readCounter)) {
    const ofMonth = sums.get(month) ?? new Map<string, number>();
    sums.set(month, ofMonth);
    for (const name of names) {
      const part = figures[name];
      if (typeof part === "number") ofMonth.set(name, (ofMonth.get(name) ?? 0) + part);
    }
  }
  return sums;
}

function readCompany({ list, from, to }: Summed, companyId: number): Promise<Item[]> {
  return queryItems({
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: { ":pk": counterPartition(list, companyId), ":from": `${from}#`, ":to": `${to}#~` },
    ConsistentRead: true,
  });
}

async function readAllCompanies({ list, from, to }: Summed): Promise<Item[]> {
  const ofMonths = from !== allMonths;
  const found: Item[] = [];
  const readShard = async (partition: string) => {
    const query = {
      IndexName: "by-total",
      KeyConditionExpression: "total_key = :key AND total_order BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":key": partition, ":from": `${from}#`, ":to": `${to}#~` },
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
