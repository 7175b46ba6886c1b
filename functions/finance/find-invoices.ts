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

/** Most invoices that a search matches, or that the other filters leave where it matches more (D22). */
const mostInvoices = 10_000;

/** Most matches whose records are read for their state: 500 read units, as for the rows of 10,000 invoices (D22). */
const mostRecords = 1_000;

/** Fewer connections than the SDK keeps to the table. */
const mostAtOnce = 40;

/**
 * The conditions of a list of invoices; an invoice must meet all of them (D21, D22). Dates are compared with
 * `issued_date`.
 */
export interface InvoiceFilter extends Filter {
  /** Start of the number or of one of its parts. */
  readonly number?: string | undefined;
}

type Filter = Omit<ListSelection, "list">;

type Row = ListRow<"INVOICES">;

type IndexQuery = Parameters<typeof queryPages>[0];

/**
 * Access patterns I1 and I2: one page of the matching invoices, newest id first, and the number of all matches. With a number, the
 * ids of all matches are found first, and then the records of the page are read. At most 100 read units for up to 100 matches, 550
 * for more, and 750 if more than 10,000 match that dates leave of all companies.
 */
export async function findInvoices(
  { number, ...filter }: InvoiceFilter,
  start: PageStart,
): Promise<FoundPage<ListedFields<"INVOICES">>> {
  if (number === undefined) return findListPage({ list: "INVOICES", ...filter }, start);
  const search = parseSearch(number);
  if (!search) return nothingFound;
  const { beforeId = Number.POSITIVE_INFINITY, skip, limit } = start;
  const matching = await findIds(search, filter);
  const following = matching.filter((id) => id < beforeId).sort((a, b) => b - a);
  const { rows, end } = await readShown(following.slice(skip), limit, search, filter);
  const noLongerMatching = end - rows.length;
  return toPage(rows, matching.length - noLongerMatching, following.length > skip + end);
}

/**
 * The ids of all invoices that a search and the filters match: by search entries, which have the date, half a read unit for some 30;
 * by the rows that the filters leave, half a unit for some 10; or by the records of the entries, half a unit each. A change of state
 * writes no entry, so entries do not have the state. If too many match and the filters leave more than 10,000, it refuses with
 * `query_too_broad` (D22).
 */
async function findIds(search: NumberSearch, filter: Filter): Promise<number[]> {
  const isOfAnyState = invoiceStates.every((state) => filter.states.includes(state));
  // Within dates a company may have few invoices of a number that very many have: its rows are read before many entries.
  const mayBeFewRows = filter.scope !== "all" && isDated(filter);
  const few = await findMatches(filter, search, isOfAnyState && !mayBeFewRows ? mostInvoices : mostRecords);
  const isEnough = few !== undefined && (isOfAnyState || few.length <= maxBatchReads);
  const plan = isEnough ? undefined : await planRows(filter);
  if (plan && plan.rows <= mostInvoices) return findInRows(plan.queries, search, filter);
  const found = few ?? (isOfAnyState && mayBeFewRows ? await findMatches(filter, search, mostInvoices) : undefined);
  if (!found) throw tooBroad(filter, isOfAnyState ? mostInvoices : mostRecords);
  return isOfAnyState ? found : keepInStates(found, filter);
}

/**
 * The rows that the filters leave, by counters, L3 or within dates L4, and the queries that read them: of a company within dates,
 * those of whole months.
 */
async function planRows(filter: Filter): Promise<{ rows: number; queries: IndexQuery[] }> {
  const selection = { ...filter, list: "INVOICES" } as const;
  const { list, scope, states } = selection;
  if (!isDated(filter)) {
    const [index, attribute] = scope === "all" ? ["by-state", "all_key"] : ["by-company", "company_key"];
    const queries = states.map((state) => partition(index, attribute, stateKey(list, scope, state)));
    return { rows: await countList(selection), queries };
  }
  const days = await countDays({ ...selection, states: invoiceStates });
  const inRange = days.filter(({ date }) => isWithinRange(date, selection));
  const asked = inRange.filter(({ state }) => states.includes(state));
  if (scope !== "all") {
    const monthOf = ({ date, state }: DayCount) => monthKey(list, scope, state, date);
    const months = new Set(asked.map(monthOf));
    const queries = [...months].map((key) => partition("by-company-month", "company_month_key", key));
    return { rows: sum(days.filter((day) => months.has(monthOf(day)))), queries };
  }
  // The counts of all companies may be late: an invoice of such a day may be in any state by now.
  const months = [...Map.groupBy(inRange, ({ date }) => date.slice(0, "yyyy-mm".length))];
  const daysOfMonth = ([month, ofMonth]: (typeof months)[number]) =>
    states.map((state) => daysOf(monthKey(list, scope, state, month), ofMonth));
  return { rows: sum(asked), queries: months.flatMap(daysOfMonth) };
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

/** Beside the order of the index: DynamoDB refuses a read that asks an index for what it does not have. */
const selectedPaths = "pk sk schema_version record.issued_date record.number".split(" ");

function rowsBy(order: "id" | "day_id") {
  return projectionOf([...selectedPaths, order]);
}

function sum(days: readonly DayCount[]): number {
  return days.reduce((all, { count }) => all + count, 0);
}

function isDated({ fromDate, toDate }: Filter): boolean {
  return fromDate !== undefined || toDate !== undefined;
}

/** The ids of those rows that a search finds. Half a read unit for 4 KB of rows, some 10. */
async function findInRows(queries: readonly IndexQuery[], search: NumberSearch, range: Filter): Promise<number[]> {
  // An invoice that is paid meanwhile may be in the partitions of two states.
  const ids = new Set<number>();
  await inParallel(queries, mostAtOnce, async (query) => {
    for await (const page of queryPages(query)) {
      for (const { id, record } of page.map((item) => toRow("INVOICES", item))) {
        if (isWithinRange(record.issued_date, range) && isFoundBy(record.number, search)) ids.add(id);
      }
    }
  });
  return [...ids];
}

async function keepInStates(ids: readonly number[], filter: Filter): Promise<number[]> {
  const kept = await Promise.all(chunksOf(ids, maxBatchReads).map((chunk) => readRows(chunk, filter)));
  return kept.flat().map(({ id }) => id);
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
