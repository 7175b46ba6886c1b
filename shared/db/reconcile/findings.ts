import type { ListPosition } from "../../domain/records/list-position.ts";
import { type CountedPlace, countedPlaces } from "../lists/counted-places.ts";
import { isListedKind, type ListedKind, listsByKind } from "../lists/list-keys.ts";
import { placeOfItem } from "../lists/listed-items.ts";
import { entriesOf, numberEntries, type StoredNumberEntry } from "../lists/number-search.ts";
import { decodeTotals, figuresOf, isTotalsKey, type StoredTotals, wholeKey } from "../lists/stored-totals.ts";
import { addFigures, contributionsOf, countsOf, type TotalsByName } from "../lists/totals-changes.ts";
import { keyOf, nameOf } from "../table/item-keys.ts";
import type { Item, Key } from "../table/table.ts";
import { addAll, addRevision, addTo, bucketOf, createSums, hashBits, hashOf, type Sums } from "./sums.ts";

/** Sums of the hashes of what should be under a key, and of what is. */
interface Balance {
  readonly key: Key;
  readonly counted: number;
  readonly stored: number;
}

/** What was read of the table, or of a part of it. */
export interface Findings {
  /** Records seen. */
  records: number;
  /** Zero where all that was read agrees: records with what was counted, and that with totals and search entries. */
  readonly sums: Sums;
  /** Of wanted keys alone: what the counted places make the totals. */
  readonly totals: TotalsByName;
  /** The stored totals, by the names of their keys. */
  readonly stored: Map<string, StoredTotals>;
  /** Where records stand, against where they were counted, and the search entries of a company; none that agree. */
  readonly balances: Map<string, Balance>;
}

/** Which keys are compared at all, and which of them by name. */
export interface Wanted {
  isCompared(key: Key): boolean;
  isNamed(key: Key): boolean;
}

/** Wants what is in these buckets by name, and all where they are left out. */
export function wantedIn(suspects?: readonly number[], isCompared: Wanted["isCompared"] = () => true): Wanted {
  const named = suspects && new Set(suspects);
  const isNamed = (key: Key) => named === undefined || (named.size > 0 && named.has(bucketOf(key)));
  return { isCompared, isNamed };
}

/** Findings of nothing. */
export function createFindings(): Findings {
  const [totals, stored, balances] = [new Map(), new Map(), new Map()];
  return { records: 0, sums: createSums(), totals, stored, balances };
}

/** Adds an item to the findings. Items may come in any order. */
export function note(found: Findings, item: Item, wanted: Wanted): void {
  const key = keyOf(item);
  const [kind = ""] = key.pk.split("#", 1);
  if (isTotalsKey(key)) noteTotals(found, key, decodeTotals(item), wanted);
  else if (numberEntries.matches(key)) noteEntry(found, numberEntries.decode(item), "stored", wanted);
  else if (countedPlaces.matches(key) && isListedKind(kind)) {
    noteCounted(found, kind, { pk: key.pk, sk: kind }, countedPlaces.decode(item), wanted);
  } else if (isListedKind(kind) && key.sk === kind) {
    found.records += 1;
    noteThing(found, key, textOf(kind, item), "counted", wanted);
  }
}

function noteTotals({ sums, stored }: Findings, key: Key, totals: StoredTotals, wanted: Wanted): void {
  if (!wanted.isCompared(key)) return;
  addRevision(sums, key, totals.revision);
  for (const [figure, count] of countsOf(figuresOf([totals]), -1)) addTo(sums, wholeKey(key), figure, count);
  if (wanted.isNamed(key)) stored.set(nameOf(key), totals);
}

function noteCounted(found: Findings, kind: ListedKind, record: Key, counted: CountedPlace, wanted: Wanted): void {
  const { place, revision } = counted;
  if (!place) return;
  if (wanted.isCompared(record)) addRevision(found.sums, record, revision);
  noteThing(found, record, canonical(place), "stored", wanted);
  for (const { key, figures } of contributionsOf(listsByKind[kind], place)) {
    if (!wanted.isCompared(key)) continue;
    for (const [figure, count] of countsOf(figures)) addTo(found.sums, key, figure, count);
    if (wanted.isNamed(key)) addFigures(found.totals, key, figures);
  }
  for (const entry of entriesOf(place)) noteEntry(found, entry, "counted", wanted);
}

function noteEntry(found: Findings, { pk, sk, mark_order }: StoredNumberEntry, side: Side, wanted: Wanted): void {
  noteThing(found, { pk, sk: "" }, `${sk} ${mark_order}`, side, wanted);
}

/** True for the key under which a company's search entries are compared. */
export function isEntriesKey({ sk }: Key): boolean {
  return sk === "";
}

type Side = "counted" | "stored";

/** Adds a thing that should be under a key, or that is. */
function noteThing({ sums, balances }: Findings, key: Key, thing: string, side: Side, wanted: Wanted): void {
  if (!wanted.isCompared(key)) return;
  addTo(sums, key, thing, side === "counted" ? 1 : -1);
  if (wanted.isNamed(key)) addBalance(balances, { key, counted: 0, stored: 0, [side]: hashOf(thing) });
}

function addBalance(balances: Findings["balances"], { key, ...added }: Balance): void {
  const name = nameOf(key);
  const known = balances.get(name);
  const sum = (side: Side) => ((known?.[side] ?? 0) + added[side]) % 2 ** hashBits;
  const next = { key, counted: sum("counted"), stored: sum("stored") };
  if (next.counted === next.stored) balances.delete(name);
  else balances.set(name, next);
}

/** Means a record that lacks the fields that place it in its list. */
export const unreadable = "unreadable";

function textOf(kind: ListedKind, record: Item): string {
  try {
    const place = placeOfItem(kind, record);
    return place ? canonical(place) : "";
  } catch {
    return unreadable;
  }
}

function canonical(place: ListPosition): string {
  return JSON.stringify(Object.entries(place).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Adds what was found in another part of the table. */
export function mergeFindings(found: Findings, other: Findings): void {
  found.records += other.records;
  addAll(found.sums, other.sums);
  for (const { key, figures } of other.totals.values()) addFigures(found.totals, key, figures);
  for (const [name, totals] of other.stored) found.stored.set(name, totals);
  for (const balance of other.balances.values()) addBalance(found.balances, balance);
}
