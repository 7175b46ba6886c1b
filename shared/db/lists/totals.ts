import { invoiceStates, timesheetStates } from "../../contract/finance.ts";
import type { Scope } from "../../domain/caller.ts";
import type { DateRange } from "../../domain/paging/date-range.ts";
import type { DayBucket } from "../../domain/paging/top-k-merge.ts";
import { jobListState, type ListName } from "../../domain/records/list-place.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { getItem, type Item, type Key, queryPages } from "../table/table.ts";
import type { ListSelection } from "./list-pages.ts";

/** The totals of a list, or of a month of it: beside these attributes, a number under the name of each figure. */
export interface StoredTotals extends StoredItem {
  readonly revision?: number;
}

const partitionStart = "TOTALS#";

/** The entity of list totals. */
export const listTotals = defineEntity<StoredTotals>("list totals", ({ pk }) => pk.startsWith(partitionStart));

/** Key of a list's totals: of all its records, or of those of a month (`YYYY-MM`). */
export function totalsKey(list: ListName, scope: Scope, month?: string): Key {
  return { pk: `${partitionStart}${list}#${scope === "all" ? "ALL" : scope}`, sk: month ?? "ALL" };
}

const states = [...new Set([...invoiceStates, ...timesheetStates, jobListState])].join("|");
const figureName = new RegExp(`^(${states}|\\d\\d(${states})[<>]?)$`);

/** The figures of totals by name: those that `counted` has, and of others those of known states; newer code may keep more. */
export function figuresOf(
  totals: StoredTotals | undefined,
  counted: ReadonlyMap<string, number> = new Map(),
): Map<string, number> {
  const entries = Object.entries(totals ?? {}).filter(([name]) => counted.has(name) || figureName.test(name));
  return new Map(entries as [string, number][]);
}

/** A bucket of one day. */
type DatedBucket = DayBucket & { readonly date: string };

/** Names of the three figures that a month's totals hold for each day and state. */
export function figureNames(date: string, state: string): { count: string; highest: string; lowest: string } {
  const name = `${date.slice(8)}${state}`;
  return { count: name, highest: `${name}>`, lowest: `${name}<` };
}

/** Access pattern L3: the number of records in a list. Half a read unit. */
export async function countList({ list, scope, states }: ListSelection): Promise<number> {
  const figures = readFigures(await getItem(totalsKey(list, scope)));
  return states.reduce((sum, state) => sum + (figures[state] ?? 0), 0);
}

/** Access pattern L4: what the totals know of a list by day and state. One query; half a read unit a month when dense. */
export async function findDayBuckets(selection: ListSelection, range: DateRange): Promise<DatedBucket[]> {
  const { fromDate = "0000-01-01", toDate = "9999-12-31" } = range;
  const { pk } = totalsKey(selection.list, selection.scope);
  const found: DatedBucket[] = [];
  const months = queryPages({
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: { ":pk": pk, ":from": fromDate.slice(0, 7), ":to": toDate.slice(0, 7) },
  });
  for await (const page of months) found.push(...page.flatMap((month) => bucketsOf(month, selection.states)));
  return found.filter(({ date }) => date >= fromDate && date <= toDate);
}

function bucketsOf(month: Item, states: readonly string[]): DatedBucket[] {
  const figures = readFigures(month);
  return Object.keys(figures).flatMap((name) => {
    const day = name.slice(0, 2);
    const state = name.slice(2);
    const count = figures[name] ?? 0;
    if (!/^\d\d$/.test(day) || !states.includes(state) || count <= 0) return [];
    const date = `${month.sk}-${day}`;
    const { highest, lowest } = figureNames(date, state);
    return [{ date, state, count, highest: Number(figures[highest]), lowest: Number(figures[lowest]) }];
  });
}

/** Every figure by name, those of states that only newer code knows included. */
export type Figures = Readonly<Record<string, number | undefined>>;

/** Totals as they were read: a month has some hundred figures, which are looked up and not copied. */
export function readFigures(item: Item | undefined): Figures {
  return (item ? listTotals.decode(item) : {}) as Figures;
}
