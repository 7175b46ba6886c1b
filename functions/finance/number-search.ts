import { invoiceStates } from "../../shared/contract/finance.ts";
import { type FoundPage, isWithinRange, nothingFound, type PageStart } from "../../shared/contract/paging.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import { type ListedFields, type ListRow, toPage, toRow } from "../../shared/records/items.ts";
import { findMatches, isFoundBy, type NumberSearch, parseSearch } from "../../shared/records/numbers.ts";
import type { ListSelection } from "../../shared/records/totals.ts";
import { chunksOf } from "../../shared/run/batches.ts";
import { maxBatchReads, readBatch } from "../../shared/table/reads.ts";
import { recordKey } from "../../shared/table/table.ts";
import { selectInvoices } from "./selected-invoices.ts";

/** Most invoices that a search matches, or that the other filters leave where it matches more (D22). */
const mostInvoices = 10_000;
/** Most matches whose records are read for their state: 500 read units, as for the rows of 10,000 invoices (D22). */
const mostRecords = 1_000;

type Filter = Omit<ListSelection, "list">;
type Row = ListRow<"INVOICES">;

/**
 * Access pattern I2: one page of the invoices that a search by number and the other filters match, newest id first, and
 * their number. It finds the ids of all of them by search entries, which have the date, half a read unit for some 30; by
 * rows that the other filters leave, half a unit for some 10; or by records, half a unit each, as for those that are
 * shown. A change of state writes no entry, so entries do not have the state. If too many match and the other filters
 * leave more than 10,000, it refuses with `query_too_broad` (D22). At most 100 read units for up to 100 matches, 550 for
 * more, and 750 if more than 10,000 match that dates leave of all companies.
 */
export async function findByNumber(
  text: string,
  filter: Filter,
  { beforeId = Number.POSITIVE_INFINITY, skip, limit }: PageStart,
): Promise<FoundPage<ListedFields<"INVOICES">>> {
  const search = parseSearch(text);
  if (!search) return nothingFound;
  const matching = await findIds(search, filter);
  const following = matching.filter((id) => id < beforeId).sort((a, b) => b - a);
  const { rows, end } = await readShown(following.slice(skip), limit, search, filter);
  const noLongerMatching = end - rows.length;
  return toPage(rows, matching.length - noLongerMatching, following.length > skip + end);
}

/**
 * Reads so many of the invoices from the first on, and how many ids that took: an index may be late, and an invoice may
 * change between two reads.
 */
async function readShown(ids: readonly number[], limit: number, search: NumberSearch, filter: Filter) {
  const rows: Row[] = [];
  let end = 0;
  while (rows.length < limit && end < ids.length) {
    const next = ids.slice(end, end + limit - rows.length);
    rows.push(...(await readRows(next, filter)).filter(({ record }) => isFoundBy(record.number, search)));
    end += next.length;
  }
  return { rows, end };
}

async function findIds(search: NumberSearch, filter: Filter): Promise<number[]> {
  const isOfAnyState = invoiceStates.every((state) => filter.states.includes(state));
  const found = await (isOfAnyState ? findInAnyState(search, filter) : findInStates(search, filter));
  if (!found) throw tooBroad(filter, isOfAnyState ? mostInvoices : mostRecords);
  return found;
}

/** Within dates a company may have few invoices of a number that very many have: its rows are read first. */
async function findInAnyState(search: NumberSearch, filter: Filter): Promise<number[] | undefined> {
  const isOfMonths = filter.scope !== "all" && (filter.fromDate !== undefined || filter.toDate !== undefined);
  const first = await findMatches(filter, search, isOfMonths ? mostRecords : mostInvoices);
  const found = first ?? (await findInRows(search, filter));
  return found ?? (isOfMonths ? findMatches(filter, search, mostInvoices) : undefined);
}

async function findInStates(search: NumberSearch, filter: Filter): Promise<number[] | undefined> {
  const few = await findMatches(filter, search, mostRecords);
  if (few && few.length <= maxBatchReads) return keepInStates(few, filter);
  return (await findInRows(search, filter)) ?? (few && keepInStates(few, filter));
}

async function findInRows(search: NumberSearch, filter: Filter): Promise<number[] | undefined> {
  const { rows, find } = await selectInvoices(filter);
  return rows <= mostInvoices ? find(search) : undefined;
}

async function keepInStates(ids: readonly number[], filter: Filter): Promise<number[]> {
  const kept = await Promise.all(chunksOf(ids, maxBatchReads).map((chunk) => readRows(chunk, filter)));
  return kept.flat().map(({ id }) => id);
}

/** Reads the invoices that the filters still let through, newest first. */
async function readRows(ids: readonly number[], { scope, states, ...range }: Filter): Promise<Row[]> {
  const keys = ids.map((id) => recordKey("INVOICE", id));
  const items = (await readBatch(keys, { consistent: false })).filter((item) => item !== undefined);
  return items
    .filter(({ company_id }) => scope === "all" || company_id === scope)
    .map((item) => toRow("INVOICES", item))
    .filter(({ record }) => states.includes(record.state) && isWithinRange(record.issued_date, range))
    .sort((a, b) => b.id - a.id);
}

function tooBroad({ scope }: Filter, most: number): Refusal {
  const others = scope === "all" ? "by_company, by_state, from_date and to_date" : "by_state, from_date and to_date";
  const detail = `may match more than ${most} invoices; give more of the number, or also ${others}`;
  return new Refusal("query_too_broad", "The search by number matches too many invoices", {
    errors: [{ parameter: "by_number", code: "too_broad", detail }],
  });
}
