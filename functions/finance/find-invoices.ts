import { invoiceStates } from "../../shared/contract/finance.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import { type ListedFields, type ListRow, monthKey, stateKey, toPage, toRow } from "../../shared/records/items.ts";
import { findListPage } from "../../shared/records/lists.ts";
import { findMatches, isFoundBy, type NumberSearch, parseSearch } from "../../shared/records/numbers.ts";
import { countDays, countList, type DayCount, type ListSelection } from "../../shared/records/totals.ts";
import { chunksOf, inParallel } from "../../shared/run/batches.ts";
import { type FoundPage, isWithinRange, nothingFound, type PageStart } from "../../shared/run/paging.ts";
import { maxBatchReads, readBatch } from "../../shared/table/reads.ts";
import { projectionOf, queryPages, recordKey } from "../../shared/table/table.ts";

/** Fewer connections than the SDK keeps to the table. */
const mostAtOnce = 40;
/** Beside the order of the index: DynamoDB refuses a read that asks an index for what it does not have. */
const selectedPaths = "pk sk schema_version record.issued_date record.number".split(" ");

type IndexQuery = Parameters<typeof queryPages>[0];

/** The invoices that the other filters of a search leave. */
interface SelectedInvoices {
  /** The number of rows to read for them: of a company within dates, those of whole months. */
  readonly rows: number;
  /** The ids of those that a search finds. Half a read unit for 4 KB of rows, some 10. */
  find(search: NumberSearch): Promise<number[]>;
}

/** Counts the rows of a selection by counters, L3 or within dates L4, before they are read. */
async function selectInvoices(filter: Omit<ListSelection, "list">): Promise<SelectedInvoices> {
  const selection = { ...filter, list: "INVOICES" } as const;
  const { rows, queries } = await planReads(selection);
  const find = async (search: NumberSearch) => {
    // An invoice that is paid meanwhile may be in the partitions of two states.
    const ids = new Set<number>();
    await inParallel(queries, mostAtOnce, async (query) => {
      for await (const page of queryPages(query)) {
        for (const { id, record } of page.map((item) => toRow("INVOICES", item))) {
          if (isWithinRange(record.issued_date, filter) && isFoundBy(record.number, search)) ids.add(id);
        }
      }
    });
    return [...ids];
  };
  return { rows, find };
}

async function planReads(selection: ListSelection<"INVOICES">): Promise<{ rows: number; queries: IndexQuery[] }> {
  const { list, scope, states, fromDate, toDate } = selection;
  if (fromDate === undefined && toDate === undefined) {
    const [index, attribute] = scope === "all" ? ["by-state", "all_key"] : ["by-company", "company_key"];
    const queries = states.map((state) => partition(index, attribute, stateKey(list, scope, state)));
    return { rows: await countList(selection), queries };
  }
  const days = await countDays(selection);
  const inRange = days.filter(({ date }) => isWithinRange(date, selection));
  const monthOf = ({ date, state }: DayCount) => monthKey(list, scope, state, date);
  const months = Map.groupBy(inRange, monthOf);
  if (scope !== "all") {
    const queries = [...months.keys()].map((key) => partition("by-company-month", "company_month_key", key));
    return { rows: sum(days.filter((day) => months.has(monthOf(day)))), queries };
  }
  return { rows: sum(inRange), queries: [...months].map(([key, ofMonth]) => daysOf(key, ofMonth)) };
}

function partition(index: string, attribute: string, key: string): IndexQuery {
  const values = { ":key": key };
  const KeyConditionExpression = `${attribute} = :key`;
  return { IndexName: index, KeyConditionExpression, ExpressionAttributeValues: values, ...rowsBy("id") };
}

/** The rows of all companies from the first to the last of some days of a month. */
function daysOf(key: string, days: readonly DayCount[]): IndexQuery {
  const ordered = days.map(({ date }) => date.slice(8)).sort();
  return {
    IndexName: "by-month",
    KeyConditionExpression: "month_key = :key AND day_id BETWEEN :from AND :to",
    ExpressionAttributeValues: { ":key": key, ":from": `${ordered[0]}#`, ":to": `${ordered.at(-1)}#~` },
    ...rowsBy("day_id"),
  };
}

function rowsBy(order: "id" | "day_id") {
  return projectionOf([...selectedPaths, order]);
}

function sum(days: readonly DayCount[]): number {
  return days.reduce((all, { count }) => all + count, 0);
}

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
async function findByNumber(
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

/**
 * The conditions of a list of invoices; an invoice must meet all of them (D21, D22). Dates are compared with
 * `issued_date`.
 */
export interface InvoiceFilter extends Omit<ListSelection, "list"> {
  /** Start of the number or of one of its parts. */
  readonly number?: string | undefined;
}

/** Access pattern I1: one page of the matching invoices, newest id first, and the number of all matches. */
export function findInvoices(filter: InvoiceFilter, start: PageStart): Promise<FoundPage<ListedFields<"INVOICES">>> {
  if (filter.number !== undefined) return findByNumber(filter.number, filter, start);
  return findListPage({ list: "INVOICES", ...filter }, start);
}
