import { isWithinRange } from "../../shared/contract/paging.ts";
import { monthKey, stateKey, toRow } from "../../shared/records/items.ts";
import { isFoundBy, type NumberSearch } from "../../shared/records/numbers.ts";
import { countDays, countList, type DayCount, type ListSelection } from "../../shared/records/totals.ts";
import { inParallel } from "../../shared/run/batches.ts";
import { projectionOf, queryPages } from "../../shared/table/table.ts";

/** Fewer connections than the SDK keeps to the table. */
const mostAtOnce = 40;
/** Beside the order of the index: DynamoDB refuses a read that asks an index for what it does not have. */
const selectedPaths = "pk sk schema_version record.issued_date record.number".split(" ");

type IndexQuery = Parameters<typeof queryPages>[0];

/** The invoices that the other filters of a search leave. */
export interface SelectedInvoices {
  /** The number of rows to read for them: of a company within dates, those of whole months. */
  readonly rows: number;
  /** The ids of those that a search finds. Half a read unit for 4 KB of rows, some 10. */
  find(search: NumberSearch): Promise<number[]>;
}

/** Counts the rows of a selection by counters, L3 or within dates L4, before they are read. */
export async function selectInvoices(filter: Omit<ListSelection, "list">): Promise<SelectedInvoices> {
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
