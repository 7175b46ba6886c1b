import {
  dayBounds,
  figuresOf,
  formerFigures,
  isBound,
  joined,
  keysTogether,
  type StoredTotals,
  type TotalsByName,
  type TotalsFigures,
} from "../lists/totals.ts";
import { nameOf } from "../table/keys.ts";
import type { Item, Key } from "../table/table.ts";
import { createFindings, entriesKey, type Findings, note, unreadable } from "./findings.ts";
import { readTable } from "./read-parts.ts";

/** A figure of the totals, or the search entries of a company, that is not what the counted records make it. */
export interface Drift {
  readonly key: Key;
  /** The figure's name, such as `pending` or `05paid`; `entries` for the search entries of a company. */
  readonly figure: string;
  readonly stored: number;
  readonly counted: number;
}

/** Everything derived from records, compared with what it should be: of the keys that the findings name. */
export interface Reconciliation {
  /** Records seen. */
  readonly records: number;
  /** Records whose state or date differs from what was last counted. */
  readonly uncounted: readonly Key[];
  /** Records that lack the fields that place them in their list. */
  readonly unreadable: readonly Key[];
  readonly drifts: readonly Drift[];
  /** The totals as they should be, by the name of their key. */
  readonly totals: Readonly<TotalsByName>;
  /** The stored totals, by the name of their key. */
  readonly stored: ReadonlyMap<string, StoredTotals>;
}

/** How a reconciliation reads the table, and how it reports its progress. */
export interface ReconcileOptions {
  /** Called with the number of records seen so far. */
  readonly onProgress?: ((records: number) => void) | undefined;
  readonly isConsistent?: boolean | undefined;
  /** All items of the table, where they are read otherwise. */
  readonly items?: AsyncIterable<Item[]>;
}

const everything = { isCompared: () => true, isNamed: () => true };

/**
 * Access pattern R4: reads the whole table once and compares every figure by name. One read unit for every 4 KB of the table, half of
 * one when not consistent; keeps all figures of all companies in memory.
 */
export async function reconcileTotals(options: ReconcileOptions = {}): Promise<Reconciliation> {
  const { onProgress, isConsistent = true, items } = options;
  if (!items) return compare(await readTable({ isConsistent }, { onProgress }));
  const found = createFindings();
  for await (const page of items) for (const item of page) note(found, item, everything);
  return compare(found);
}

/** The differences in what the findings name. */
export function compare({ records, totals, stored, entries, standings }: Findings): Reconciliation {
  const entryDrifts = [...entries].filter(([, sums]) => sums.stored !== sums.counted);
  const standing = [...standings].map(([pk, { record }]) => ({ key: recordOf(pk), isReadable: record !== unreadable }));
  return {
    records,
    uncounted: standing.flatMap(({ key, isReadable }) => (isReadable ? [key] : [])),
    unreadable: standing.flatMap(({ key, isReadable }) => (isReadable ? [] : [key])),
    drifts: [
      ...driftsOf(totals, stored),
      ...entryDrifts.map(([pk, sums]) => ({ key: entriesKey(pk), figure: "entries", ...sums })),
    ],
    totals,
    stored,
  };
}

function recordOf(pk: string): Key {
  return { pk, sk: pk.split("#", 1)[0] ?? "" };
}

/** Counts must be equal; a bound may be wider than it need be, as records leave without moving it. */
function driftsOf(totals: ReadonlyMap<string, TotalsFigures>, stored: ReadonlyMap<string, StoredTotals>): Drift[] {
  const keys: Key[] = [...[...totals.values()].map(({ key }) => key), ...stored.values()];
  const own = new Map(keys.flatMap((key) => keysTogether(key).own).map((key) => [nameOf(key), key]));
  return [...own].flatMap(([name, key]) => {
    const counted = totals.get(name)?.figures;
    const figures = storedFigures(key, stored, counted);
    return [...new Set([...figures.keys(), ...(counted?.keys() ?? [])])].flatMap((figure) => {
      const [is, should] = [figures.get(figure), counted?.get(figure)];
      return isDrift(figure, is, should) ? [{ key, figure, stored: is ?? 0, counted: should ?? 0 }] : [];
    });
  });
}

/** What is stored under a key, with what release 0.1 left of the same month. */
function storedFigures(key: Key, stored: ReadonlyMap<string, StoredTotals>, counted?: ReadonlyMap<string, number>) {
  const figures = figuresOf(stored.get(nameOf(key)), counted);
  const { former } = keysTogether(key);
  const isOfBounds = dayBounds.matches(key);
  for (const [name, value] of formerFigures(former && stored.get(nameOf(former)))) {
    if (isBound(name) === isOfBounds)
      figures.set(name, joined(name, value, figures.get(name) ?? (isOfBounds ? value : 0)));
  }
  return figures;
}

function isDrift(figure: string, is: number | undefined, should: number | undefined): boolean {
  if (figure.endsWith(">")) return should !== undefined && (is === undefined || is < should);
  if (figure.endsWith("<")) return should !== undefined && (is === undefined || is > should);
  return (is ?? 0) !== (should ?? 0);
}
