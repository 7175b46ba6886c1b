import { invoiceStates, timesheetStates } from "../../contract/finance.ts";
import type { Scope } from "../../domain/caller.ts";
import type { DateRange } from "../../domain/paging/date-range.ts";
import type { DayBucket } from "../../domain/paging/top-k-merge.ts";
import { jobListState, type ListName, type ListPlace } from "../../domain/records/list-place.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { nameOf } from "../table/keys.ts";
import { getItem, type Item, type Key, queryItems } from "../table/table.ts";

/** The records of a list in some states, of one company or of all, within a range of dates (D21). */
export interface ListSelection<L extends ListName = ListName> extends DateRange {
  readonly list: L;
  readonly states: readonly string[];
  readonly scope: Scope;
}

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
function figureNames(date: string, state: string): { count: string; highest: string; lowest: string } {
  const name = `${date.slice(8)}${state}`;
  return { count: name, highest: `${name}>`, lowest: `${name}<` };
}

/** One totals item by name: what it counts, or what is added to it, and the bounds of each day's ids. */
export interface TotalsFigures {
  readonly key: Key;
  readonly figures: Map<string, number>;
}

/** Totals items, by the names of their keys. */
export type TotalsByName = Map<string, TotalsFigures>;

/** True for the name of a bound of a day's ids; the others are counts. */
export function isBound(figure: string): boolean {
  return figure.endsWith(">") || figure.endsWith("<");
}

/** Counts a record where it stands, with the bounds that take its id in; with -1 takes it out of the counts alone. */
export function countIn(totals: TotalsByName, list: ListName, place: ListPlace, sign: 1 | -1): void {
  const { id, companyId, state, date } = place;
  for (const scope of ["all", companyId] as const) {
    addTo(figuresAt(totals, totalsKey(list, scope)), state, sign);
    if (date === null) continue;
    const month = figuresAt(totals, totalsKey(list, scope, date.slice(0, 7)));
    const { count, highest, lowest } = figureNames(date, state);
    addTo(month, count, sign);
    if (sign < 0) continue;
    month.set(highest, Math.max(id, month.get(highest) ?? id));
    month.set(lowest, Math.min(id, month.get(lowest) ?? id));
  }
}

function figuresAt(totals: TotalsByName, key: Key): Map<string, number> {
  const found = totals.get(nameOf(key)) ?? { key, figures: new Map<string, number>() };
  totals.set(nameOf(key), found);
  return found.figures;
}

function addTo(figures: Map<string, number>, name: string, amount: number): void {
  figures.set(name, (figures.get(name) ?? 0) + amount);
}

/** Access pattern L3: the number of records in a list. Half a read unit. */
export async function countList({ list, scope, states }: ListSelection): Promise<number> {
  const figures = readFigures(await getItem(totalsKey(list, scope)));
  return states.reduce((sum, state) => sum + (figures[state] ?? 0), 0);
}

/** Access pattern L4: what the totals know of a list by day and state. One query; half a read unit a month when dense. */
export async function findDayBuckets(selection: ListSelection): Promise<DatedBucket[]> {
  const { list, scope, states, fromDate = "0000-01-01", toDate = "9999-12-31" } = selection;
  const { pk } = totalsKey(list, scope);
  const months = await queryItems({
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: { ":pk": pk, ":from": fromDate.slice(0, 7), ":to": toDate.slice(0, 7) },
  });
  const found = months.flatMap((month) => bucketsOf(month, states));
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
