import { chunksOf, inParallel } from "../../batches.ts";
import { invoiceStates } from "../../contract/finance.ts";
import type { Scope } from "../../domain/caller.ts";
import { isWithinRange } from "../../domain/paging/date-range.ts";
import type { FoundPage, PageStart } from "../../domain/paging/paging.ts";
import { maxNumberMatches, searchableStarts } from "../../domain/records/invoice-number.ts";
import type { ListPosition } from "../../domain/records/list-position.ts";
import { Refusal } from "../../domain/refusal.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import type { PutWrite } from "../table/conditions.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { type Mark, nameOf, padId, recordKey } from "../table/item-keys.ts";
import { queryPages } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { type ListedFields, type ListRow, toPage, toRow } from "./listed-items.ts";
import type { ListSelection } from "./totals.ts";

/** A search entry of an invoice number: its keys hold all of it. */
export type StoredNumberEntry = StoredItem & Mark;

/** Most matches that are filtered are 20 calls. */
const chunksAtOnce = 10;

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

/**
 * Access pattern I2: one page of the invoices that match a search by number and the other filters, newest id first.
 * Grows with the invoices that the number alone matches; more than 2,000 are refused as `query_too_broad` (D22). Three
 * round trips at most. By state or date, half a read unit for each invoice that the number matches: entries know neither,
 * so that a change of state writes none of them.
 */
export async function findByNumber(
  search: string,
  filter: Omit<ListSelection, "list">,
  { beforeId = Number.POSITIVE_INFINITY, skip, limit }: PageStart,
): Promise<FoundPage<ListedFields<"INVOICES">>> {
  const ids = await findIds(filter.scope, search.toLowerCase());
  const isFiltered = filter.fromDate !== undefined || filter.toDate !== undefined || !hasEveryState(filter.states);
  const known = isFiltered ? await findMatching(ids, filter) : undefined;
  const matching = known ? known.map(({ id }) => id) : ids;
  const following = matching.filter((id) => id < beforeId).sort((a, b) => b - a);
  const shown = new Set(following.slice(skip, skip + limit));
  const rows = known ? known.filter(({ id }) => shown.has(id)) : await readRows([...shown]);
  // An entry may be read beside the removal of its invoice, or be late in the index.
  const total = matching.length - (shown.size - rows.length);
  return toPage(
    rows.sort((a, b) => b.id - a.id),
    total,
    following.length > skip + limit,
  );
}

function hasEveryState(states: readonly string[]): boolean {
  return invoiceStates.every((state) => states.includes(state));
}

async function findMatching(ids: readonly number[], filter: Omit<ListSelection, "list">) {
  const chunks: ListRow<"INVOICES">[][] = [];
  await inParallel(chunksOf(ids, maxBatchReads), chunksAtOnce, async (chunk) => {
    chunks.push(await readRows(chunk));
  });
  return chunks.flat().filter(({ record: { state, issued_date } }) => {
    return filter.states.includes(state) && isWithinRange(issued_date, filter);
  });
}

async function readRows(ids: readonly number[]): Promise<ListRow<"INVOICES">[]> {
  const items = await readBatch(
    ids.map((id) => recordKey("INVOICE", id)),
    { consistent: false },
  );
  return items.flatMap((item) => (item ? [toRow("INVOICES", item)] : []));
}

async function findIds(scope: Scope, search: string): Promise<number[]> {
  const found = new Set<number>();
  for await (const page of queryPages({ ...entriesThatStart(scope, search), Limit: maxNumberMatches + 1 })) {
    for (const entry of page.map(numberEntries.decode)) found.add(numberEntryId(entry));
    if (found.size > maxNumberMatches) throw tooBroad();
  }
  return [...found];
}

function entriesThatStart(scope: Scope, search: string) {
  const [place, key] =
    scope === "all"
      ? [{ index: "by-mark", partition: "mark_key", order: "mark_order" }, entriesMark(search)]
      : [{ index: undefined, partition: "pk", order: "sk" }, partitionOf(scope, search)];
  return {
    IndexName: place.index,
    KeyConditionExpression: `${place.partition} = :key AND begins_with(${place.order}, :search)`,
    ExpressionAttributeValues: { ":key": key, ":search": search },
  };
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

/** The search entries of a record as it is; none for one without a number. */
export function entriesOf(place: ListPosition | null): StoredNumberEntry[] {
  if (!place || place.number === null) return [];
  const { id, companyId, number } = place;
  return searchableStarts(number).map((start) => {
    const sk = `${start}#${padId(id)}`;
    return { pk: partitionOf(companyId, start), sk, mark_key: entriesMark(start), mark_order: sk };
  });
}

/** The id of the invoice that a search entry is of. */
function numberEntryId({ sk }: StoredNumberEntry): number {
  return Number(sk.split("#").at(-1));
}

function tooBroad(): Refusal {
  const detail = `matches more than ${maxNumberMatches} invoices; give more of the number, or a company`;
  return new Refusal("query_too_broad", "The search by number matches too many invoices", {
    errors: [{ parameter: "by_number", code: "too_broad", detail }],
  });
}
