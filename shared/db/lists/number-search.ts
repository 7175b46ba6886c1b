import { chunksOf, inParallel } from "../../batches.ts";
import { invoiceStates } from "../../contract/finance.ts";
import { isWithinRange } from "../../domain/paging/date-range.ts";
import { type FoundPage, nothingFound, type PageStart } from "../../domain/paging/paging.ts";
import { isFoundBy, type NumberSearch, parseSearch } from "../../domain/records/invoice-number.ts";
import { Refusal } from "../../domain/refusal.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import { recordKey } from "../table/item-keys.ts";
import { type ListedFields, type ListRow, toPage, toRow } from "./listed-items.ts";
import { findMatches } from "./number-entries.ts";
import { type SelectedInvoices, selectInvoices } from "./selected-invoices.ts";
import type { ListSelection } from "./totals.ts";

/** Most invoices that a search matches, or that the other filters leave where it matches more (D22). */
const mostInvoices = 10_000;
/** The rows of an index that 175 read units read. */
const fewRows = 3_500;
/** A record costs as much to read as ten rows of an index. */
const rowsOfRecord = 10;
/** The entries of most matches cost as much to read as so many rows. */
const rowsOfEntries = 3_000;
/** If no list is short, records of so many matches are read for their state: 1,000 read units. */
const mostRecords = 2_000;
/** Records of most matches are read in 20 calls. */
const chunksAtOnce = 10;

type Filter = Omit<ListSelection, "list">;
type Row = ListRow<"INVOICES">;

/**
 * Access pattern I2: one page of the invoices that a search by number and the other filters match, newest id first, and
 * their number. It finds the ids of all of them by the least that it can read: search entries, which have the date, half
 * a read unit for some 30; rows that the other filters leave, half a unit for some 10; records, half a unit each, as for
 * those that are shown. A change of state writes no entry, so entries do not have the state. If more than 10,000 invoices
 * match and the other filters leave more, it refuses with `query_too_broad` (D22). At most 200 read units, unless both
 * the asked and the other states have thousands of invoices, or more than 10,000 match and the dates leave thousands; 12
 * round trips at the very most, usually 2 to 4.
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
  const otherStates = invoiceStates.filter((state) => !filter.states.includes(state));
  if (otherStates.length > 0) return findInStates(search, filter, otherStates);
  // The counters of all companies may cost more than the entries.
  const isShort = filter.scope !== "all" && (filter.fromDate !== undefined || filter.toDate !== undefined);
  const selected = isShort ? await selectInvoices(filter) : undefined;
  if (selected && selected.rows <= fewRows) return (await findFew(search, filter)) ?? selected.find(search);
  return (
    (await findMatches(filter, search, mostInvoices)) ??
    findAmong(selected ?? (await selectInvoices(filter)), search, filter)
  );
}

function findFew(search: NumberSearch, filter: Filter): Promise<number[] | undefined> {
  return findMatches(filter, search, fewRows / rowsOfRecord);
}

async function findInStates(search: NumberSearch, filter: Filter, states: readonly string[]): Promise<number[]> {
  const fewMatches = await findFew(search, filter);
  if (fewMatches && fewMatches.length <= maxBatchReads) return keepInStates(fewMatches, filter);
  const selected = await selectInvoices(filter);
  if (fewMatches && fewMatches.length * rowsOfRecord <= selected.rows) return keepInStates(fewMatches, filter);
  if (selected.rows <= fewRows) return selected.find(search);
  const otherInvoices = await selectInvoices({ ...filter, states });
  if (selected.rows <= Math.min(mostInvoices, otherInvoices.rows + rowsOfEntries)) return selected.find(search);
  const areFew = otherInvoices.rows <= mostInvoices;
  const matches = await findMatches(filter, search, areFew ? mostInvoices : mostRecords);
  if (!matches) return findAmong(selected, search, filter);
  if (!areFew) return keepInStates(matches, filter);
  const inOthers = new Set(await otherInvoices.find(search));
  return matches.filter((id) => !inOthers.has(id));
}

function findAmong({ rows, find }: SelectedInvoices, search: NumberSearch, filter: Filter): Promise<number[]> {
  if (rows > mostInvoices) throw tooBroad(filter);
  return find(search);
}

async function keepInStates(ids: readonly number[], filter: Filter): Promise<number[]> {
  const found: number[] = [];
  await inParallel(chunksOf(ids, maxBatchReads), chunksAtOnce, async (chunk) => {
    found.push(...(await readRows(chunk, filter)).map(({ id }) => id));
  });
  return found;
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

function tooBroad({ scope }: Filter): Refusal {
  const others = scope === "all" ? "by_company, by_state, from_date and to_date" : "by_state, from_date and to_date";
  const detail = `may match more than ${mostInvoices} invoices; give more of the number, or also ${others}`;
  return new Refusal("query_too_broad", "The search by number matches too many invoices", {
    errors: [{ parameter: "by_number", code: "too_broad", detail }],
  });
}
