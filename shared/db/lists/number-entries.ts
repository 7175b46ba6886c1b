import type { Scope } from "../../contract/operation.ts";
import { type DateRange, isWithinRange } from "../../contract/paging.ts";
import { isStartOf, type NumberSearch, searchableStarts } from "../../domain/records/invoice-number.ts";
import type { ListPosition } from "../../table/counters.ts";
import { defineEntity, type StoredItem } from "../../table/entity.ts";
import { type Mark, nameOf, projectionOf, queryPages } from "../../table/table.ts";
import type { PutWrite, TransactionWrite } from "../../table/writes.ts";

/** A search entry of an invoice number: its keys hold all of it. */
export type StoredNumberEntry = StoredItem & Mark;

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
