import { invoiceStates, timesheetStates } from "../../contract/finance.ts";
import type { Scope } from "../../domain/caller.ts";
import type { DateRange } from "../../domain/paging/date-range.ts";
import type { DayBucket } from "../../domain/paging/top-k-merge.ts";
import { jobListState, type ListName, type ListPlace } from "../../domain/records/list-place.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { keyOf, nameOf } from "../table/keys.ts";
import { getItem, type Item, type Key, queryItems } from "../table/table.ts";

/** The records of a list in some states, of one company or of all, within a range of dates (D21). */
export interface ListSelection<L extends ListName = ListName> extends DateRange {
  readonly list: L;
  readonly states: readonly string[];
  readonly scope: Scope;
}

/** The totals of a list, of a month of it, or the bounds of a month's days: a number under the name of each figure. */
export interface StoredTotals extends StoredItem {
  readonly revision?: number;
  /** Of a month and of its bounds: how often the bounds were narrowed. */
  readonly narrowed?: number;
}

const partitionStart = "TOTALS#";
const countsEnd = "#COUNTS";
const boundsEnd = "#BOUNDS";

const isTotals = ({ pk, sk }: Key, end: string) => pk.startsWith(partitionStart) && sk.endsWith(end);

/** True for the key of totals of any kind. */
export function isTotalsKey(key: Key): boolean {
  return isTotals(key, "");
}

/** The entity of list totals; release 0.1 kept those of a month and its bounds in one item of these. */
export const listTotals = defineEntity<StoredTotals>(
  "list totals",
  (key) => isTotalsKey(key) && !isTotals(key, countsEnd) && !isTotals(key, boundsEnd),
);

/** The entity of a list's totals by day, a month in an item. */
export const dayTotals = defineEntity<StoredTotals>("day totals", (key) => isTotals(key, countsEnd));

/** The entity of the bounds of ids by day, a month in an item. */
export const dayBounds = defineEntity<StoredTotals>("day bounds", (key) => isTotals(key, boundsEnd));

/** Key of a list's totals. */
export function totalsKey(list: ListName, scope: Scope): Key {
  return { pk: `${partitionStart}${list}#${scope === "all" ? "ALL" : scope}`, sk: "ALL" };
}

/** Key of a list's totals by day in a month (`YYYY-MM`). */
function countsKey(list: ListName, scope: Scope, month: string): Key {
  return { ...totalsKey(list, scope), sk: month + countsEnd };
}

/** Key of the bounds of a month: the highest and the lowest id that each day and state has had. */
function boundsKey(list: ListName, scope: Scope, month: string): Key {
  return { ...totalsKey(list, scope), sk: month + boundsEnd };
}

/** The counts that depend on bounds. */
export function countsOfBounds({ pk, sk }: Key): Key {
  return { pk, sk: sk.replace(boundsEnd, countsEnd) };
}

/** The keys of totals that are compared and rewritten together: of a month its counts, its bounds, and what release 0.1 left. */
export function keysTogether({ pk, sk }: Key): { readonly own: readonly Key[]; readonly former?: Key } {
  if (sk === "ALL") return { own: [{ pk, sk }] };
  const [month = ""] = sk.split("#");
  return { own: [countsEnd, boundsEnd].map((end) => ({ pk, sk: month + end })), former: { pk, sk: month } };
}

/** How figures of days name states: a dense month of counts is below 1 KB, its bounds are below 2. */
const letters: Readonly<Record<string, string>> = { pending: "p", paid: "a", overdue: "o" };
const states = [...new Set([...invoiceStates, ...timesheetStates, jobListState])];
const figureName = new RegExp(`^(${states.join("|")}|\\d\\d[${Object.values(letters).join("")}][<>]?)$`);
const formerName = new RegExp(`^(\\d\\d)(${Object.keys(letters).join("|")})([<>]?)$`);

function dayFigure(date: string, state: string): string {
  const letter = letters[state];
  if (!letter) throw new Error(`The state ${state} has no letter`);
  return date.slice(8) + letter;
}

/** The figures of a month that release 0.1 counted, as they are named now: counts and bounds. */
export function formerFigures(item: StoredTotals | undefined): Map<string, number> {
  const named = Object.entries(item ?? {}).flatMap(([name, value]): [string, number][] => {
    const [, day, state = "", side = ""] = formerName.exec(name) ?? [];
    return day ? [[`${day}${letters[state]}${side}`, Number(value)]] : [];
  });
  return new Map(named);
}

/** Two values of a figure as one: of a bound the outer one, of a count the sum. */
export function joined(figure: string, one: number, other: number): number {
  if (figure.endsWith(">")) return Math.max(one, other);
  return figure.endsWith("<") ? Math.min(one, other) : one + other;
}

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

/** One totals item by name: what it counts, or what is added to it, or the bounds of each day's ids. */
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

/** Counts a record where it stands; with -1 takes it out of the counts. */
export function countIn(
  totals: TotalsByName,
  list: ListName,
  { companyId, state, date }: ListPlace,
  sign: 1 | -1,
): void {
  for (const scope of ["all", companyId] as const) {
    addTo(figuresAt(totals, totalsKey(list, scope)), state, sign);
    if (date !== null) addTo(figuresAt(totals, countsKey(list, scope, monthOf(date))), dayFigure(date, state), sign);
  }
}

/** Widens the bounds of a record's day and state so that they include its id. */
export function boundIn(totals: TotalsByName, list: ListName, { id, companyId, state, date }: ListPlace): void {
  if (date === null) return;
  for (const scope of ["all", companyId] as const) {
    const figures = figuresAt(totals, boundsKey(list, scope, monthOf(date)));
    for (const side of [">", "<"]) {
      const name = dayFigure(date, state) + side;
      figures.set(name, joined(name, id, figures.get(name) ?? id));
    }
  }
}

function monthOf(date: string): string {
  return date.slice(0, 7);
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

/** Access pattern L4: what the totals know of a list by day and state. One query; half a read unit for a dense month. */
export async function findDayBuckets(selection: ListSelection): Promise<DatedBucket[]> {
  const { list, scope, fromDate = "0000-01-01", toDate = "9999-12-31" } = selection;
  const items = await queryItems({
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: {
      ":pk": totalsKey(list, scope).pk,
      ":from": monthOf(fromDate),
      ":to": monthOf(toDate) + countsEnd,
    },
  });
  const months = Map.groupBy(items, ({ sk }) => monthOf(String(sk)));
  const found = [...months].flatMap(([month, parts]) => bucketsOf(month, parts.map(readDays), selection.states));
  return found.filter(({ date }) => date >= fromDate && date <= toDate);
}

function readDays(item: Item): Figures {
  return listTotals.matches(keyOf(item))
    ? Object.fromEntries(formerFigures(listTotals.decode(item)))
    : readFigures(item);
}

function bucketsOf(month: string, parts: readonly Figures[], wanted: readonly string[]): DatedBucket[] {
  return days.flatMap((day) =>
    wanted.flatMap((state) => {
      const date = `${month}-${day}`;
      const name = dayFigure(date, state);
      const valuesOf = (figure: string) => parts.flatMap((figures) => figures[figure] ?? []);
      const count = valuesOf(name).reduce((sum, each) => sum + each, 0);
      if (count <= 0) return [];
      const [highest, lowest] = [Math.max(...valuesOf(`${name}>`)), Math.min(...valuesOf(`${name}<`))];
      return [{ date, state, count, highest, lowest }];
    }),
  );
}

const days = Array.from({ length: 31 }, (_, at) => String(at + 1).padStart(2, "0"));

/** Every figure by name, those of states that only newer code knows included. */
export type Figures = Readonly<Record<string, number | undefined>>;

/** Totals as they were read: a month has some hundred figures, which are looked up and not copied. */
export function readFigures(item: Item | undefined): Figures {
  return (item ? decodeTotals(item) : {}) as Figures;
}

/** Totals as they were read, of whichever of the three kinds. */
export function decodeTotals(item: Item): StoredTotals {
  return entityOf(keyOf(item)).decode(item);
}

/** Totals to be stored, of whichever of the three kinds. */
export function encodeTotals(totals: StoredTotals): Item {
  return entityOf(totals).encode(totals);
}

function entityOf(key: Key) {
  return [dayTotals, dayBounds].find(({ matches }) => matches(key)) ?? listTotals;
}
