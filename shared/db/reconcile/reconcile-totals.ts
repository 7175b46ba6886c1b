import { figuresOf, isBound, joined, partKey, type StoredTotals, wholeKey } from "../lists/stored-totals.ts";
import type { TotalsFigures } from "../lists/totals-changes.ts";
import { nameOf } from "../table/item-keys.ts";
import type { Item, Key } from "../table/table.ts";
import { createFindings, type Findings, isEntriesKey, note, unreadable, wantedIn } from "./findings.ts";
import { readTable } from "./read-parts.ts";
import { hashOf } from "./sums.ts";

/** A figure of the totals, or the search entries of a company, that is not what the counted records make it. */
export interface Drift {
  readonly key: Key;
  /** The figure's name, such as `pending` or `05a`; `entries` for the search entries of a company. */
  readonly figure: string;
  readonly stored: number;
  readonly counted: number;
}

/** Everything derived from records, compared with what it should be: of the keys that the findings name. */
export interface Reconciliation extends Pick<Findings, "totals" | "stored"> {
  /** Records seen. */
  readonly records: number;
  /** Records whose state or date differs from what was last counted. */
  readonly uncounted: readonly Key[];
  /** Records that lack the fields that place them in their list. */
  readonly unreadable: readonly Key[];
  readonly drifts: readonly Drift[];
}

/**
 * Access pattern R4: reads the whole table once, one page after the other, or all items where they are read otherwise, and compares every figure by name. One
 * read unit for every 4 KB of the table; keeps all figures of all companies in memory.
 */
export async function reconcileTotals({ items }: { items?: AsyncIterable<Item[]> } = {}): Promise<Reconciliation> {
  if (!items) return compare(await readTable({ isConsistent: true }, { segments: 1 }));
  const found = createFindings();
  for await (const page of items) for (const item of page) note(found, item, wantedIn());
  return compare(found);
}

/** The differences in what the findings name. */
export function compare({ records, totals, stored, balances }: Findings): Reconciliation {
  const { entries = [], others = [] } = Object.groupBy(balances.values(), ({ key }) =>
    isEntriesKey(key) ? "entries" : "others",
  );
  const { lacking = [], standing = [] } = Object.groupBy(others, ({ counted }) =>
    counted === hashOf(unreadable) ? "lacking" : "standing",
  );
  return {
    records,
    uncounted: standing.map(({ key }) => key),
    unreadable: lacking.map(({ key }) => key),
    drifts: [...driftsOf({ totals, stored }), ...entries.map((sums) => ({ figure: "entries", ...sums }))],
    totals,
    stored,
  };
}

/** Totals as they should be, and the items that they are stored in. */
export interface FoundTotals extends TotalsFigures {
  readonly parts: readonly StoredTotals[];
}

/** All totals that were counted or stored. */
export function foundTotals({ totals, stored }: Pick<Findings, "totals" | "stored">): FoundTotals[] {
  const parts = Map.groupBy(stored.values(), (part) => nameOf(wholeKey(part)));
  const keys = [...[...totals.values()].map(({ key }) => key), ...[...stored.values()].map(wholeKey)];
  return [...new Map(keys.map((key) => [nameOf(key), key]))].map(([name, key]) => ({
    key,
    figures: totals.get(name)?.figures ?? new Map(),
    parts: parts.get(name) ?? [],
  }));
}

function driftsOf(found: Pick<Findings, "totals" | "stored">): Drift[] {
  return foundTotals(found).flatMap(({ key, figures, parts }) => {
    const stored = figuresOf(parts);
    return [...new Set([...stored.keys(), ...figures.keys()])].flatMap((figure) => {
      const [is, should] = [stored.get(figure), figures.get(figure)];
      if (!isDrift(figure, is, should)) return [];
      return [{ key: partKey(key, figure), figure, stored: is ?? 0, counted: should ?? 0 }];
    });
  });
}

/** Counts must be equal; a bound may be wider than it need be, as records leave without moving it. */
function isDrift(figure: string, is: number | undefined, should: number | undefined): boolean {
  if (!isBound(figure)) return (is ?? 0) !== (should ?? 0);
  return should !== undefined && (is === undefined || joined(figure, is, should) !== is);
}
