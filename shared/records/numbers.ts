import type { Scope } from "../contract/operation.ts";
import { typedText } from "../contract/values.ts";
import { type DateRange, isWithinRange } from "../run/paging.ts";
import type { ListPosition } from "../table/counters.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { type Mark, nameOf, projectionOf, queryPages } from "../table/table.ts";
import type { PutWrite, TransactionWrite } from "../table/writes.ts";

/** An invoice that changes its number removes as many entries as it adds, and all must fit into one transaction. */
const mostStarts = 45;
/** The leading zeros of a part are counted in one digit of base 36. */
const mostZeros = 35;
/** A key of the table has at most 1,024 bytes. NFKC writes some letters as eighteen. */
const mostLetters = 200;

/** Letters, or digits without their leading zeros, and the number of these. */
interface NumberPart {
  readonly text: string;
  readonly zeros: number;
}

/** A search by number, as it is compared with the starts of numbers. */
export interface NumberSearch {
  /** The beginning of a start. Empty of a search for zeros alone, which no index finds. */
  readonly text: string;
  /** The place of its last part, and the leading zeros that this part has. */
  readonly last: number;
  readonly zeros: number;
}

/**
 * The texts that a number is found by: for each of its first 45 parts all parts from there on, each with a hyphen behind
 * it, then `#` and how many leading zeros each has, up to the last one that has any. `INV-0042-A` has `inv-42-a-#02`,
 * `42-a-#2` and `a-#`. Parts are runs of letters or of digits as `typedText` writes them; case, leading zeros and other
 * characters are left out (D22).
 */
export function searchableStarts(number: string): string[] {
  const parts = numberPartsOf(readable(number));
  return parts.slice(0, mostStarts).map((_, at) => {
    const rest = parts.slice(at);
    const zeros = rest.map((part) => part.zeros.toString(36)).join("");
    return `${textOf(rest)}#${zeros.replace(/0+$/, "")}`;
  });
}

/**
 * Reads what a user searches for; undefined if it has neither letters nor digits. If another character than a blank
 * follows its last part, that part is complete.
 */
export function parseSearch(search: string): NumberSearch | undefined {
  const typed = readable(search);
  const parts = numberPartsOf(typed);
  const last = parts.at(-1);
  if (!last) return undefined;
  const text = textOf(parts);
  const isComplete = /[^\p{L}\p{M}\p{N}]$/u.test(typed);
  const place = { last: parts.length - 1 };
  return isComplete ? { ...place, text, zeros: 0 } : { ...place, text: text.slice(0, -1), zeros: last.zeros };
}

/**
 * True if a start begins with a search. Leading zeros do not count, except those that the last part of the search has:
 * the number has as many there, or the same part without them.
 */
function isStartOf(start: string, { text, last, zeros }: NumberSearch): boolean {
  const [parts = "", ofParts = ""] = start.split("#");
  if (!parts.startsWith(text)) return false;
  return zeros === 0 || parts.startsWith(`${text}-`) || Number.parseInt(ofParts[last] ?? "0", 36) >= zeros;
}

/** True if a search finds a number. */
export function isFoundBy(number: string, search: NumberSearch): boolean {
  return searchableStarts(number).some((start) => isStartOf(start, search));
}

/** A number as it is compared. Symbols, with their marks, are separators: NFKC makes letters of some, as of the sign in `№ 55`. */
function readable(number: string): string {
  return typedText(number.replaceAll(/\p{S}\p{M}*/gu, "-")).slice(0, mostLetters);
}

function numberPartsOf(text: string): NumberPart[] {
  return [...text.matchAll(/[\p{L}\p{M}]+|\p{N}+/gu)].map(([part]) => {
    const whole = part.toLowerCase();
    const rest = whole.replace(/^0+/, "");
    return { text: rest, zeros: Math.min(whole.length - rest.length, mostZeros) };
  });
}

function textOf(parts: readonly NumberPart[]): string {
  return parts.map(({ text }) => `${text}-`).join("");
}

/** A search entry of an invoice number: its keys hold all of it. */
type StoredNumberEntry = StoredItem & Mark;

/** Entries that are read for most matches: an invoice has two if two of its parts begin with the same text. */
const entriesOfMatches = 1.1;

/** The entity of the search entries of invoice numbers. */
export const numberEntries = defineEntity<StoredNumberEntry>("number entry", ({ pk }) =>
  /^COMPANY#\d+#NUMBERS#/.test(pk),
);

/** The entries that others lack. */
export function entriesMissingIn(
  others: readonly StoredNumberEntry[],
  entries: readonly StoredNumberEntry[],
): StoredNumberEntry[] {
  const there = new Set(others.map(nameOf));
  return entries.filter((entry) => !there.has(nameOf(entry)));
}

/** The write that stores a search entry. */
export function putEntry(entry: StoredNumberEntry): TransactionWrite & PutWrite {
  return { Put: { Item: numberEntries.encode(entry) } };
}

/** The write that removes a search entry. */
export function deleteEntry({ pk, sk }: StoredNumberEntry): TransactionWrite {
  return { Delete: { Key: { pk, sk } } };
}

/** The search entries of a record as it is; none for one without a number. */
export function entriesOf(place: ListPosition | null): StoredNumberEntry[] {
  if (!place || place.number === null) return [];
  const { id, companyId, number, date } = place;
  return searchableStarts(number).map((start) => {
    const sk = `${start}#${date}#${id}`;
    // The index has the sort key as well: what is searched for is enough.
    const [mark_order = ""] = start.split("#");
    return { pk: partitionOf(companyId, start), sk, mark_key: entriesMark(start), mark_order };
  });
}

/**
 * The ids of the invoices of a scope that a search matches, each once, and whose date is in a range; undefined if the search alone
 * matches more than `most`, or has no text. Half a read unit for 4 KB of entries, some 30.
 */
export async function findMatches(
  { scope, ...range }: DateRange & { readonly scope: Scope },
  search: NumberSearch,
  most: number,
): Promise<number[] | undefined> {
  if (search.text === "") return undefined;
  const mostEntries = Math.ceil(most * entriesOfMatches);
  const dates = new Map<number, string>();
  let read = 0;
  for await (const page of queryPages({ ...entriesThatStart(scope, search.text), Limit: mostEntries + 1 })) {
    read += page.length;
    for (const entry of page.map(numberEntries.decode)) {
      const { start, date, id } = readEntry(entry);
      if (isStartOf(start, search)) dates.set(id, date);
    }
    if (read > mostEntries || dates.size > most) return undefined;
  }
  return [...dates].flatMap(([id, date]) => (isWithinRange(date, range) ? [id] : []));
}

function entriesThatStart(scope: Scope, text: string) {
  const [place, key] =
    scope === "all"
      ? [{ index: "by-mark", partition: "mark_key", order: "mark_order" }, entriesMark(text)]
      : [{ index: undefined, partition: "pk", order: "sk" }, partitionOf(scope, text)];
  return {
    IndexName: place.index,
    KeyConditionExpression: `${place.partition} = :key AND begins_with(${place.order}, :text)`,
    ExpressionAttributeValues: { ":key": key, ":text": text },
    ...projectionOf(["sk"]),
  };
}

/** The parts, zeros, date and id in the sort key of a search entry. */
function readEntry({ sk }: StoredNumberEntry) {
  const [parts, zeros, date = "", id] = sk.split("#");
  return { start: `${parts}#${zeros}`, date, id: Number(id) };
}

/**
 * The index partition of the entries of all companies that begin with the same character. A partition takes 1,000 write
 * units a second. The entries of a number begin with different characters, so a company takes 500 new invoices a second.
 */
function entriesMark(start: string): string {
  return `NUMBERS#${String.fromCodePoint(start.codePointAt(0) ?? 0)}`;
}

/** The partition of those of a company. */
function partitionOf(companyId: number, start: string): string {
  return `COMPANY#${companyId}#${entriesMark(start)}`;
}
