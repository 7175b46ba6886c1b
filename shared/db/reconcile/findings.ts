import type { ListPlace } from "../../domain/records/list-place.ts";
import { contributionsOf } from "../lists/contributions.ts";
import { type CountedPlace, countedPlaces } from "../lists/counted-places.ts";
import { isListedKind, type ListedKind, listsByKind } from "../lists/list-keys.ts";
import { placeOfItem } from "../lists/listed-items.ts";
import { entriesOf, numberEntries, type StoredNumberEntry } from "../lists/number-search.ts";
import {
  decodeTotals,
  figuresOf,
  formerFigures,
  isBound,
  isTotalsKey,
  joined,
  keysTogether,
  type StoredTotals,
  type TotalsByName,
} from "../lists/totals.ts";
import { ItemTooNewError } from "../table/entity.ts";
import { keyOf, nameOf } from "../table/keys.ts";
import type { Item, Key } from "../table/table.ts";
import { addAll, addRevision, addTo, createSums, hashBits, hashOf, type Sums } from "./sums.ts";

/** Where a record stands and where it was last counted, as texts; what was not seen has no text. */
interface Standing {
  readonly record: string;
  readonly counted: string;
}

/** Sums of the hashes of a company's search entries. */
interface EntrySums {
  readonly stored: number;
  readonly counted: number;
}

/** What was read of the table, or of a part of it. */
export interface Findings {
  /** Records seen. */
  records: number;
  /** Zero where all that was read agrees: records with what was counted, and that with totals and search entries. */
  readonly sums: Sums;
  /** Of wanted keys alone: what the counted places make the totals, by name. */
  readonly totals: TotalsByName;
  /** The stored totals, by name. */
  readonly stored: Map<string, StoredTotals>;
  /** Of search entries, by the partition of their company: sums of their hashes, as a million invoices have millions of them. */
  readonly entries: Map<string, EntrySums>;
  /** Records that do not stand where they were counted, by partition. */
  readonly standings: Map<string, Standing>;
}

/** Which keys are compared at all, and which of them by name. */
export interface Wanted {
  isCompared(key: Key): boolean;
  isNamed(key: Key): boolean;
}

/** The standing of a record that lacks the fields that place it in its list. */
export const unreadable = "unreadable";

/** Findings of nothing. */
export function createFindings(): Findings {
  const [totals, stored, entries, standings] = [new Map(), new Map(), new Map(), new Map()];
  return { records: 0, sums: createSums(), totals, stored, entries, standings };
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
    noteStanding(found, key, "record", textOf(kind, item), wanted);
  }
}

function noteTotals({ sums, stored }: Findings, key: Key, totals: StoredTotals, wanted: Wanted): void {
  if (!wanted.isCompared(key)) return;
  addRevision(sums, key, totals.revision);
  const [counts = key] = keysTogether(key).own;
  for (const [figure, count] of [...figuresOf(totals), ...formerFigures(totals)]) {
    if (!isBound(figure)) addTo(sums, counts, figure, -count);
  }
  if (wanted.isNamed(key)) stored.set(nameOf(key), totals);
}

function noteCounted(found: Findings, kind: ListedKind, record: Key, counted: CountedPlace, wanted: Wanted): void {
  const { place, revision } = counted;
  if (!place) return;
  if (wanted.isCompared(record)) addRevision(found.sums, record, revision);
  noteStanding(found, record, "counted", canonical(place), wanted);
  for (const { key, figures } of contributionsOf(listsByKind[kind], place)) {
    if (!wanted.isCompared(key)) continue;
    for (const [figure, count] of figures) if (!isBound(figure)) addTo(found.sums, key, figure, count);
    if (wanted.isNamed(key)) addFigures(found.totals, key, figures);
  }
  for (const entry of entriesOf(place)) noteEntry(found, entry, "counted", wanted);
}

function noteEntry(found: Findings, { pk, sk, mark_order }: StoredNumberEntry, side: keyof EntrySums, wanted: Wanted) {
  const key = entriesKey(pk);
  if (!wanted.isCompared(key)) return;
  const text = `${sk} ${mark_order}`;
  addTo(found.sums, key, text, side === "stored" ? -1 : 1);
  if (wanted.isNamed(key)) addEntries(found, pk, { stored: 0, counted: 0, [side]: hashOf(text) });
}

/** What a difference of a company's search entries is named by. */
export function entriesKey(pk: string): Key {
  return { pk, sk: "" };
}

function addEntries({ entries }: Findings, pk: string, { stored, counted }: EntrySums): void {
  const known = entries.get(pk);
  const sum = (side: keyof EntrySums, value: number) => ((known?.[side] ?? 0) + value) % 2 ** hashBits;
  entries.set(pk, { stored: sum("stored", stored), counted: sum("counted", counted) });
}

function noteStanding(found: Findings, key: Key, side: keyof Standing, text: string, wanted: Wanted): void {
  if (!wanted.isCompared(key)) return;
  addTo(found.sums, key, text, side === "record" ? 1 : -1);
  if (wanted.isNamed(key)) addStanding(found, key.pk, { record: "", counted: "", [side]: text });
}

function addStanding({ standings }: Findings, pk: string, { record, counted }: Standing): void {
  const known = standings.get(pk);
  const next = { record: record || (known?.record ?? ""), counted: counted || (known?.counted ?? "") };
  if (next.record === next.counted) standings.delete(pk);
  else standings.set(pk, next);
}

function textOf(kind: ListedKind, record: Item): string {
  try {
    const place = placeOfItem(kind, record);
    return place ? canonical(place) : "";
  } catch (error) {
    if (error instanceof ItemTooNewError) throw error;
    return unreadable;
  }
}

function canonical(place: ListPlace): string {
  return JSON.stringify(Object.entries(place).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function addFigures(totals: TotalsByName, key: Key, figures: ReadonlyMap<string, number>): void {
  const name = nameOf(key);
  const known = totals.get(name) ?? { key, figures: new Map<string, number>() };
  totals.set(name, known);
  for (const [figure, value] of figures) {
    const other = known.figures.get(figure);
    known.figures.set(figure, other === undefined ? value : joined(figure, value, other));
  }
}

/** Adds what was found in another part of the table. */
export function mergeFindings(found: Findings, other: Findings): void {
  found.records += other.records;
  addAll(found.sums, other.sums);
  for (const { key, figures } of other.totals.values()) addFigures(found.totals, key, figures);
  for (const [name, totals] of other.stored) found.stored.set(name, totals);
  for (const [pk, entries] of other.entries) addEntries(found, pk, entries);
  for (const [pk, standing] of other.standings) addStanding(found, pk, standing);
}
