import { findInvoices, type InvoiceFilter } from "../../../functions/finance/find-invoices.ts";
import type { PageStart } from "../../../shared/run/paging.ts";
import { type Cost, costOf } from "../../support/records/costs.ts";
import { withRefreshes } from "../../support/workers/refreshes.ts";
import { companies, earlierMonth, earlyDays, firstId, month, numberOf, year } from "./invoices.ts";

/** One list of the table of bars: what it may cost, and whether that may grow with the table. */
export interface Measure {
  readonly name: string;
  readonly mostReadUnits: number;
  readonly mostTrips: number;
  /** The same cost at every size. Others grow with the parts of counters, the days that these have, or the matches. */
  readonly isFlat?: boolean;
  run(count: number): Promise<unknown>;
}

const states = ["pending", "paid", "overdue"] as const;
const everything: InvoiceFilter = { scope: "all", states };
const firstPage: PageStart = { limit: 20, beforeId: undefined, skip: 0 };
/** As deep as a page number may reach. */
const deepestPage: PageStart = { limit: 100, beforeId: undefined, skip: 900 };
const middle = (count: number): PageStart => ({ ...firstPage, beforeId: firstId + Math.floor(count / 2) });

/** The counters of 51 companies with all eight parts: 170 bytes each, in four partitions of an index. */
const totalOfAll = 8;
/** The same of months: 660 bytes each. */
const totalOfMonths = (months: number) => 35 * months;

/** Every way to list invoices that has a bar. */
export const invoiceMeasures: readonly Measure[] = [
  undated("all companies, all states, first page", everything, () => firstPage, 3 + totalOfAll),
  undated("all companies, all states, by cursor in the middle", everything, middle, 3 + totalOfAll),
  undated("all companies, one state, first page", { ...everything, states: ["paid"] }, () => firstPage, 1 + totalOfAll),
  undated(
    "all companies, two states, by cursor",
    { ...everything, states: ["pending", "overdue"] },
    middle,
    2 + totalOfAll,
  ),
  undated("one company, all states, first page", { ...everything, scope: companies.large }, () => firstPage, 4),
  undated("one company, one state, by cursor", { scope: companies.large, states: ["paid"] }, middle, 2),
  {
    ...undated("all companies, all states, the deepest page by number", everything, () => deepestPage, 80),
    // It reads the nine hundred rows above it once, and a little of each state beyond them.
    mostTrips: 6,
  },
  dated("twelve months, one company", { ...everything, ...year, scope: companies.large }, 24),
  dated("twelve months, a company with thirty invoices", { ...everything, ...year, scope: companies.sparse }, 24),
  dated("a month in the middle, one company", { ...everything, ...earlierMonth, scope: companies.large }, 24),
  dated("two days early in a month, one company", { ...everything, ...earlyDays, scope: companies.usual }, 60),
  dated("twelve months, all companies", { ...everything, ...year }, 3 + totalOfMonths(12)),
  dated(
    "twelve months, all companies, one state",
    { ...everything, ...year, states: ["pending"] },
    1 + totalOfMonths(12),
  ),
  dated("the last month, all companies", { ...everything, ...month }, 3 + totalOfMonths(2)),
  dated("a month in the middle, all companies", { ...everything, ...earlierMonth }, 50 + totalOfMonths(1)),
  dated("two days early in a month, all companies", { ...everything, ...earlyDays }, 9 + totalOfMonths(1)),
  search("a whole number", (count) => numberOf(firstId + Math.floor(count / 3))),
  search("the start of a number that 111 invoices have", (count) => String(firstId + count - 700).slice(0, 5), 120),
];

/** Later pages of a range of dates: flat where ids follow dates, and only reported where they do not. */
export const laterPage: Measure = {
  ...dated("twelve months, all companies, by cursor in the middle", { ...everything, ...year }, 3 + totalOfMonths(12)),
  run: (count) => findInvoices({ ...everything, ...year }, middle(count)),
};

/** Runs each call twice, and counts what it took where the totals of all companies were summed shortly before. */
export async function measureAll(measures: readonly Measure[], count: number): Promise<Map<string, Cost>> {
  const costs = new Map<string, Cost>();
  for (const { name, run } of measures) {
    await withRefreshes(run(count));
    costs.set(name, await costOf(() => run(count)));
  }
  return costs;
}

function undated(
  name: string,
  filter: InvoiceFilter,
  start: (count: number) => PageStart,
  mostReadUnits: number,
): Measure {
  const isFlat = filter.scope !== "all";
  return { name, mostReadUnits, mostTrips: 1, isFlat, run: (count) => findInvoices(filter, start(count)) };
}

function dated(name: string, filter: InvoiceFilter, mostReadUnits: number): Measure {
  return { name, mostReadUnits, mostTrips: 4, run: () => findInvoices(filter, firstPage) };
}

function search(name: string, number: (count: number) => string, mostReadUnits = 10): Measure {
  const run = (count: number) => findInvoices({ ...everything, number: number(count) }, firstPage);
  return { name, mostReadUnits, mostTrips: 3, run };
}
