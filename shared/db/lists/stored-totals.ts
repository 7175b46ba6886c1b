import { invoiceStates, timesheetStates } from "../../contract/finance.ts";
import type { Scope } from "../../domain/caller.ts";
import { jobListState, type ListName } from "../../domain/records/list-position.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { keyOf } from "../table/item-keys.ts";
import type { Item, Key } from "../table/table.ts";

/** The totals of a list, or of a month the counts or the bounds of its days: a number under the name of each figure. */
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

/** The entity of list totals. */
export const listTotals = defineEntity<StoredTotals>(
  "list totals",
  (key) => isTotalsKey(key) && !isTotals(key, countsEnd) && !isTotals(key, boundsEnd),
);

/** The entity of a list's totals by day, a month in an item. */
export const dayTotals = defineEntity<StoredTotals>("day totals", (key) => isTotals(key, countsEnd));

/** The entity of the bounds of ids by day, a month in an item. */
export const dayBounds = defineEntity<StoredTotals>("day bounds", (key) => isTotals(key, boundsEnd));

/** Totals as they were read, of whichever of the three kinds. */
export function decodeTotals(item: Item): StoredTotals & Figures {
  return entityOf(keyOf(item)).decode(item) as StoredTotals & Figures;
}

/** Totals to be stored, of whichever of the three kinds. */
export function encodeTotals(totals: StoredTotals): Item {
  return entityOf(totals).encode(totals);
}

function entityOf(key: Key) {
  return [dayTotals, dayBounds].find(({ matches }) => matches(key)) ?? listTotals;
}

/** Key of a list's totals, or of those of the month of a calendar date, which are in parts. */
export function totalsKey(list: ListName, scope: Scope, date?: string): Key {
  return { pk: `${partitionStart}${list}#${scope === "all" ? "ALL" : scope}`, sk: date?.slice(0, 7) ?? "ALL" };
}

/** The key of the totals that an item is a part of. */
export function wholeKey({ pk, sk }: Key): Key {
  const [whole = ""] = sk.split("#");
  return { pk, sk: whole };
}

/** True for the totals of a month; others are one item. */
export function isMonth({ sk }: Key): boolean {
  return sk !== "ALL";
}

/** The keys of the items that totals are in: of a month its counts and its bounds. */
export function partKeys(whole: Key): Key[] {
  return isMonth(whole) ? ["", ">"].map((figure) => partKey(whole, figure)) : [whole];
}

/** The key of the item that a figure of totals is in. */
export function partKey(whole: Key, figure: string): Key {
  return isMonth(whole) ? { ...whole, sk: whole.sk + (isBound(figure) ? boundsEnd : countsEnd) } : whole;
}

/** How figures of days name states: a dense month of counts is below 1 KB, its bounds are below 2. */
const letters: Readonly<Record<string, string>> = { pending: "p", paid: "a", overdue: "o" };
const states = [...new Set([...invoiceStates, ...timesheetStates, jobListState])];
const figureName = new RegExp(`^(${states.join("|")}|\\d\\d[${Object.values(letters).join("")}][<>]?)$`);

/** The name of the count of a day and state; `>` and `<` behind it name the highest and the lowest id that were there. */
export function dayFigure(date: string, state: string): string {
  const letter = letters[state];
  if (!letter) throw new Error(`The state ${state} has no letter`);
  return date.slice(8) + letter;
}

/** True for the name of a bound of a day's ids; the others are counts. */
export function isBound(figure: string): boolean {
  return figure.endsWith(">") || figure.endsWith("<");
}

/** Two values of a figure as one: of a bound the outer one, of a count the sum. */
export function joined(figure: string, one: number, other: number): number {
  if (figure.endsWith(">")) return Math.max(one, other);
  return figure.endsWith("<") ? Math.min(one, other) : one + other;
}

/** Every figure by name, those of states that only newer code knows included. */
export type Figures = Readonly<Record<string, number | undefined>>;

/** The figures of an item: some hundred, looked up and not copied. */
export function readFigures(item: Item | StoredTotals | undefined): Figures {
  return item ? decodeTotals(item as Item) : {};
}

/** The figures of totals from all of their parts. Of states that this code does not know there may be more. */
export function figuresOf(parts: readonly (StoredTotals | undefined)[]): Map<string, number> {
  const figures = parts.flatMap((part) => Object.entries(readFigures(part)).filter(([name]) => figureName.test(name)));
  return new Map(figures.map(([name, value]) => [name, Number(value)]));
}
