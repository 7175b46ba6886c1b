import type { Scope } from "../../domain/caller.ts";
import { isWithinRange } from "../../domain/paging/date-range.ts";
import type { FoundPage, PageStart } from "../../domain/paging/paging.ts";
import { maxNumberMatches, searchableStarts } from "../../domain/records/invoice-number.ts";
import type { ListPlace } from "../../domain/records/list-place.ts";
import { Refusal } from "../../domain/refusal.ts";
import { readBatch } from "../table/batch-reads.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { type Mark, nameOf, padId, recordKey } from "../table/keys.ts";
import { type Item, queryPages } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { type ListedFields, toPage, toRow } from "./listed-items.ts";
import type { ListSelection } from "./totals.ts";

/** A search entry of an invoice number: its keys hold all of it. */
export type StoredNumberEntry = StoredItem & Mark;

const partitionEnd = "#NUMBERS";

/** The entity of the search entries of invoice numbers. */
export const numberEntries = defineEntity<StoredNumberEntry>(
  "number entry",
  ({ pk }) => pk.startsWith("COMPANY#") && pk.endsWith(partitionEnd),
);

/** What a search entry knows of its invoice. */
interface NumberEntry {
  readonly id: number;
  readonly state: string;
  readonly date: string;
}

/** The writes that replace the search entries of a record as it was by those of the record as it is. */
export function changeNumberEntries(before: ListPlace | null, after: ListPlace | null): TransactionWrite[] {
  return replaceEntries(entriesOf(before), entriesOf(after));
}

/** The writes that leave entries in place of others. */
export function replaceEntries(
  before: readonly StoredNumberEntry[],
  after: readonly StoredNumberEntry[],
): TransactionWrite[] {
  const stored = new Map(before.map((entry) => [nameOf(entry), entry]));
  const kept = new Set(after.map(nameOf));
  const gone = before.filter((entry) => !kept.has(nameOf(entry)));
  const changed = after.filter((entry) => stored.get(nameOf(entry))?.mark_order !== entry.mark_order);
  return [
    ...gone.map(({ pk, sk }) => ({ Delete: { Key: { pk, sk } } })),
    ...changed.map((entry) => ({ Put: { Item: numberEntries.encode(entry) } })),
  ];
}

/**
 * Access pattern I2: one page of the invoices that match a search by number and the other filters, newest id first.
 * Grows with the invoices that the number alone matches; more than 2,000 are refused as `query_too_broad` (D22). Three
 * round trips at most.
 */
export async function findByNumber(
  search: string,
  filter: Omit<ListSelection, "list">,
  { beforeId = Number.POSITIVE_INFINITY, skip, limit }: PageStart,
): Promise<FoundPage<ListedFields<"INVOICES">>> {
  const { scope, states } = filter;
  const entries = await findEntries(scope, search.toLowerCase());
  const matching = entries.filter(({ state, date }) => states.includes(state) && isWithinRange(date, filter));
  const following = matching.filter(({ id }) => id < beforeId).sort((a, b) => b.id - a.id);
  const shown = await readBatch(following.slice(skip, skip + limit).map(({ id }) => recordKey("INVOICE", id)));
  const rows = shown.flatMap((item) => (item ? [toRow("INVOICES", item)] : []));
  return toPage(rows, matching.length, following.length > skip + limit);
}

async function findEntries(scope: Scope, search: string): Promise<NumberEntry[]> {
  const found = new Map<number, NumberEntry>();
  for await (const page of queryPages({ ...entriesThatStart(scope, search), Limit: maxNumberMatches + 1 })) {
    for (const entry of page.map(readEntry)) found.set(entry.id, entry);
    if (found.size > maxNumberMatches) throw tooBroad();
  }
  return [...found.values()];
}

function entriesThatStart(scope: Scope, search: string) {
  const [IndexName, pk, sk, key] =
    scope === "all" ? ["by-mark", "mark_key", "mark_order", allEntries] : [undefined, "pk", "sk", partitionOf(scope)];
  return {
    IndexName,
    KeyConditionExpression: `${pk} = :key AND begins_with(${sk}, :search)`,
    ExpressionAttributeValues: { ":key": key, ":search": search },
  };
}

const allEntries = "NUMBERS";

/** Partition of the search entries of a company. */
export function partitionOf(companyId: number): string {
  return `COMPANY#${companyId}${partitionEnd}`;
}

/** The search entries of a record as it is; none for one without a number. */
export function entriesOf(place: ListPlace | null): StoredNumberEntry[] {
  if (!place || place.number === null) return [];
  const { id, companyId, state, date } = place;
  return searchableStarts(place.number).map((start) => ({
    pk: partitionOf(companyId),
    sk: `${start}#${padId(id)}`,
    mark_key: allEntries,
    mark_order: `${start}#${padId(id)}#${state}#${date}`,
  }));
}

/** The id of the invoice that a search entry is of. */
export function numberEntryId({ sk }: StoredNumberEntry): number {
  return Number(sk.split("#").at(-1));
}

/** A number may hold any character: what follows it is read from the end. By mark, an entry has its key's shape. */
function readEntry(entry: Item): NumberEntry {
  const [id, state = "", date = ""] = numberEntries.decode(entry).mark_order.split("#").slice(-3);
  return { id: Number(id), state, date };
}

function tooBroad(): Refusal {
  const detail = `matches more than ${maxNumberMatches} invoices; give more of the number, or a company`;
  return new Refusal("query_too_broad", "The search by number matches too many invoices", {
    errors: [{ parameter: "by_number", code: "too_broad", detail }],
  });
}
