import { spread } from "../run/backoff.ts";
import { defineEntity, type StoredItem } from "./entity.ts";
import type { Item, Key } from "./table.ts";
import { nameOf, padId, projectionOf } from "./table.ts";
import type { TransactionWrite } from "./writes.ts";
import { updateOf } from "./writes.ts";

/**
 * A counter of a company's list, or of one of its months: a number under the name of each figure. A counter has parts,
 * so that writers of one company do not stand in each other's way. The sums of the parts are the figures.
 */
export interface StoredCounter extends StoredItem {
  /** The number of writes. */
  readonly writes?: number;
  readonly total_key: string;
  readonly total_order: string;
}

const countersStart = "COUNTERS#";

/** The entity of the counters of lists. */
export const counters = defineEntity<StoredCounter>("list counter", ({ pk }) => pk.startsWith(countersStart));

/**
 * The parts that users, events and runs write. 50 bulk updates of one company at once need this number; each part costs
 * readers.
 */
export const userParts: readonly number[] = [0, 1, 2, 3];
/** The parts of an import, one for each transaction that it has under way. */
export const importParts: readonly number[] = [4, 5, 6, 7];

/** The part that a transaction writes: its own at first, so that a quiet company has few, and after a conflict one by chance. */
export function partFor(parts: readonly number[], assigned: number, conflicts: number): number {
  const at = conflicts === 0 ? assigned : Math.floor(spread(0, parts.length));
  return parts[at % parts.length] ?? 0;
}

/** The counter of all of a list, in place of a month. */
export const allMonths = "ALL";

/** The additions to the figures of a company's list or of one of its months. */
export interface Count {
  readonly list: ListName;
  readonly companyId: number;
  /** `yyyy-mm`, or `ALL`. */
  readonly month: string;
  readonly figures: ReadonlyMap<string, number>;
}

/** The partition of the counters of a company's list. */
export function counterPartition(list: ListName, companyId: number): string {
  return `${countersStart}${list}#${companyId}`;
}

/** The month that a counter is of, or `ALL`. */
export function monthOf({ sk }: StoredCounter): string {
  return sk.slice(0, sk.indexOf("#"));
}

/** The company that a counter is of. */
export function companyOf({ pk }: StoredCounter): number {
  return Number(pk.split("#").at(-1));
}

/** Key of a part of a counter. */
export function counterKey({ list, companyId, month }: Omit<Count, "figures">, part: number): Key {
  return { pk: counterPartition(list, companyId), sk: `${month}#${String(part).padStart(2, "0")}` };
}

/**
 * A partition of the index `by-total` takes 1,000 write units a second. Each list has this number of partitions for its
 * companies.
 */
const totalShards = 4;

/** A range of months, both ends included; from `ALL` to `ALL` the counters of whole lists. */
export interface Months {
  readonly from: string;
  readonly to: string;
}

/**
 * The queries of the index `by-total` that find the counters of all companies in some months: one for each partition. They read
 * the figures alone, which takes a fifth of the time.
 */
export function totalQueries(list: ListName, { from, to }: Months) {
  const ofMonths = from !== allMonths;
  return Array.from({ length: totalShards }, (_, shard) => ({
    IndexName: "by-total",
    KeyConditionExpression: "total_key = :key AND total_order BETWEEN :from AND :to",
    ...projectionOf(["pk", "sk", "schema_version", ...figureNames(ofMonths)]),
    ExpressionAttributeValues: {
      ":key": totalPartition(list, ofMonths, shard),
      ":from": `${from}#`,
      ":to": `${to}#~`,
    },
  }));
}

/** The partition of the index `by-total` for the counters of lists, or of their months, of every fourth company. */
function totalPartition(list: ListName, ofMonths: boolean, shard: number): string {
  return `${list}#${ofMonths ? "MONTHS" : allMonths}#${shard}`;
}

/** The letters of states in figures of days: short, so that a dense month is below 1 KB. */
const letters: Readonly<Record<string, string>> = { pending: "p", paid: "a", overdue: "o" };

/** The states that days are counted in. */
export const countedStates: readonly string[] = Object.keys(letters);

/** Jobs have no states: all are in one list. */
export const jobListState = "published";

/** The names of the figures of whole lists, or of months. */
function figureNames(ofMonths: boolean): string[] {
  if (!ofMonths) return [...countedStates, jobListState];
  const days = Array.from({ length: 31 }, (_, at) => String(at + 1).padStart(2, "0"));
  return days.flatMap((day) => countedStates.map((state) => dayFigure(day, state)));
}

/** The name of the figure of a day of the month, in two digits, and of a state. */
function dayFigure(day: string, state: string): string {
  const letter = letters[state];
  if (!letter) throw new Error(`The state ${state} has no letter`);
  return day + letter;
}

/** The state that a day's figure counts; undefined for a figure of no state. */
export function stateOfDay(figure: string): string | undefined {
  return countedStates.find((state) => letters[state] === figure.slice(2));
}

/** The additions that take a record out of the counters where it stood, and into those where it stands. */
export function countsBetween(list: ListName, before: ListPosition | null, after: ListPosition | null): Count[] {
  const [left, entered] = [before ? countsAt(list, before, -1) : [], after ? countsAt(list, after, 1) : []];
  return foldCounts([...left, ...entered]);
}

function countsAt(list: ListName, { companyId, state, date }: ListPosition, one: 1 | -1): Count[] {
  const all = { list, companyId, month: allMonths, figures: new Map([[state, one]]) };
  if (date === null) return [all];
  return [
    all,
    { list, companyId, month: date.slice(0, 7), figures: new Map([[dayFigure(date.slice(8), state), one]]) },
  ];
}

/** One count for each counter: the sums, without figures that stay as they are. */
export function foldCounts(counts: readonly Count[]): Count[] {
  const byCounter = Map.groupBy(counts, (count) => nameOf(counterKey(count, 0)));
  return [...byCounter.values()].flatMap((same) => {
    const figures = new Map<string, number>();
    for (const [figure, amount] of same.flatMap((count) => [...count.figures])) {
      figures.set(figure, (figures.get(figure) ?? 0) + amount);
    }
    for (const [figure, amount] of figures) if (amount === 0) figures.delete(figure);
    return same[0] && figures.size > 0 ? [{ ...same[0], figures }] : [];
  });
}

/**
 * The writes that add folded counts to a part of their counters. A write is two write units, and one for the index.
 * `where` is the condition on the part.
 */
export function counterWrites(
  counts: readonly Count[],
  part: number,
  where: (count: Count) => Item = () => ({}),
): TransactionWrite[] {
  return counts.map((count) => {
    const { list, companyId, month, figures } = count;
    const key = counterKey(count, part);
    const setOnce = {
      total_key: totalPartition(list, month !== allMonths, companyId % totalShards),
      total_order: `${month}#${padId(companyId)}#${key.sk.slice(-2)}`,
    };
    return {
      Update: updateOf(key, { where: where(count), setOnce, add: Object.fromEntries([...figures, ["writes", 1]]) }),
    };
  });
}
/** A list of records that runs by descending id. */

export type ListName = "INVOICES" | "TIMESHEETS" | "JOBS";
/** The place of a record in its lists. */

export interface ListPosition {
  readonly id: number;
  /** The tenant (D2). */
  readonly companyId: number;
  readonly state: string;
  /** The calendar date that date filters compare with; null in a list that has none. */
  readonly date: string | null;
  /** The number that a search finds the record by; null in a list without one. */
  readonly number: string | null;
}
