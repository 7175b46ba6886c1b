import { isDeepStrictEqual } from "node:util";
import type { ListName, ListPlace } from "../../domain/records/list-place.ts";
import { countedPlaces, readCountedPlace } from "../lists/counted-places.ts";
import { isListedKind, type ListedKind, listsByKind } from "../lists/list-keys.ts";
import { placeOfItem } from "../lists/listed-items.ts";
import { entriesOf, numberEntries, type StoredNumberEntry } from "../lists/number-search.ts";
import {
  boundIn,
  countIn,
  dayBounds,
  decodeTotals,
  figuresOf,
  formerFigures,
  isBound,
  joined,
  keysTogether,
  type StoredTotals,
  type TotalsByName,
  type TotalsFigures,
} from "../lists/totals.ts";
import { ItemTooNewError } from "../table/entity.ts";
import { keyOf, nameOf } from "../table/keys.ts";
import type { Item, Key } from "../table/table.ts";
import { readSegments } from "./read-segments.ts";

/** A figure of the totals, or the search entries of a company, that is not what the counted records make it. */
export interface Drift {
  readonly key: Key;
  /** The figure's name, such as `pending` or `05paid`; `entries` for the search entries of a company. */
  readonly figure: string;
  readonly stored: number;
  readonly counted: number;
}

/** Everything derived from records, compared with what it should be. */
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
  /** Ids of the records whose numbers can be searched, by the partition of their search entries. */
  readonly numbered: ReadonlyMap<string, readonly number[]>;
}

/** How a reconciliation reads the table, and how it reports its progress. */
export interface ReconcileOptions {
  /** Called with the number of records seen so far. */
  readonly onProgress?: ((records: number) => void) | undefined;
  /** False halves the cost, and may take what was written a moment ago for a difference. */
  readonly isConsistent?: boolean | undefined;
  /** All items of the table, those of one partition together, where they are read otherwise. */
  readonly items?: AsyncIterable<Item[]>;
}

/**
 * Access pattern R4: reads the whole table once, in segments at once, and compares the totals with what was counted, and that
 * with the records. One read unit for every 4 KB of the table, half of one when not consistent.
 */
export async function reconcileTotals(options: ReconcileOptions = {}): Promise<Reconciliation> {
  const { onProgress, isConsistent = true, items } = options;
  const found = createFindings();
  const sources = items ? [items] : readSegments(reconciledPrefixes, isConsistent);
  const read = async (source: AsyncIterable<Item[]>) => {
    for await (const partition of source) {
      if (note(found, partition)) onProgress?.(found.records);
    }
  };
  await Promise.all(sources.map(read));
  const { entries, ...rest } = found;
  return { ...rest, drifts: [...driftsOf(found.totals, found.stored), ...entryDrifts(entries)] };
}

const reconciledPrefixes = [...Object.keys(listsByKind).map((kind) => `${kind}#`), "TOTALS#", "COMPANY#"];

function createFindings() {
  const [totals, entries]: [TotalsByName, EntrySums] = [new Map(), new Map()];
  const [uncounted, unreadable]: [Key[], Key[]] = [[], []];
  const [stored, numbered] = [new Map<string, StoredTotals>(), new Map<string, number[]>()];
  return { records: 0, totals, stored, entries, numbered, uncounted, unreadable };
}

/** Adds the items of a partition to the findings; true where they are of a kind of records. */
function note(found: ReturnType<typeof createFindings>, partition: readonly Item[]): boolean {
  const [first] = partition;
  if (!first) return false;
  const key = keyOf(first);
  if (key.pk.startsWith("TOTALS#")) for (const item of partition) found.stored.set(nameOf(item), decodeTotals(item));
  else if (numberEntries.matches(key)) {
    for (const item of partition) noteEntry(found.entries, numberEntries.decode(item), "stored");
  } else {
    const counted = readPartition(key.pk, partition);
    if (!counted) return false;
    found.records += counted.isThere ? 1 : 0;
    if (counted.standing === "unreadable") found.unreadable.push(counted.key);
    if (counted.standing === "elsewhere") found.uncounted.push(counted.key);
    if (counted.place) {
      countIn(found.totals, counted.list, counted.place, 1);
      boundIn(found.totals, counted.list, counted.place);
    }
    const own = entriesOf(counted.place);
    for (const entry of own) noteEntry(found.entries, entry, "counted");
    if (own[0] && counted.place) idsOf(found.numbered, own[0].pk).push(counted.place.id);
    return true;
  }
  return false;
}

function readPartition(pk: string, items: readonly Item[]) {
  const kind = pk.split("#")[0] ?? "";
  if (!isListedKind(kind)) return undefined;
  const list: ListName = listsByKind[kind];
  const record = items.find(({ sk }) => sk === kind);
  const place = readCountedPlace(items.find((item) => countedPlaces.matches(keyOf(item))))?.place ?? null;
  return {
    key: { pk, sk: kind },
    list,
    place,
    isThere: record !== undefined,
    standing: standingOf(kind, place, record),
  };
}

function standingOf(kind: ListedKind, place: ListPlace | null, record: Item | undefined) {
  try {
    return isDeepStrictEqual(place, placeOfItem(kind, record)) ? "as counted" : "elsewhere";
  } catch (error) {
    if (error instanceof ItemTooNewError) throw error;
    return "unreadable";
  }
}

function idsOf(numbered: Map<string, number[]>, partition: string): number[] {
  const ids = numbered.get(partition) ?? [];
  numbered.set(partition, ids);
  return ids;
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

type EntrySums = Map<string, { stored: number; counted: number }>;

/** Entries are compared as sums of their hashes: a million invoices have millions of them. */
function noteEntry(entries: EntrySums, { pk, sk, mark_order }: StoredNumberEntry, side: "stored" | "counted"): void {
  const sums = entries.get(pk) ?? { stored: 0, counted: 0 };
  sums[side] = (sums[side] + hash(`${sk} ${mark_order}`)) % 2 ** 52;
  entries.set(pk, sums);
}

function entryDrifts(entries: EntrySums): Drift[] {
  const different = [...entries].filter(([, { stored, counted }]) => stored !== counted);
  return different.map(([pk, sums]) => ({ key: { pk, sk: "" }, figure: "entries", ...sums }));
}

function hash(text: string): number {
  let [low, high] = [0x811c9dc5, 0x1b873593];
  for (let at = 0; at < text.length; at += 1) {
    low = Math.imul(low ^ text.charCodeAt(at), 0x01000193);
    high = Math.imul(high ^ text.charCodeAt(at), 0x85ebca6b);
  }
  return (high >>> 12) * 2 ** 31 + (low >>> 1);
}
