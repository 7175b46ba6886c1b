import { beforeAll, expect, test } from "vitest";
import { findInvoices, type InvoiceFilter } from "../../../../functions/finance/find-invoices.ts";
import { importLines } from "../../../bench/store/load.ts";
import { costOf } from "../../../support/records/costs.ts";
import { invoiceLine } from "../../../support/records/records.ts";
import { usualFreshOrFull } from "../../../support/service/fresh-counts.ts";
import { useService } from "../../../support/service/service.ts";

useService();

const company = 1_000_000_077;
const firstId = 1_000_000_000;
const most = usualFreshOrFull(1_000, 2_000, 10_000);
const states = ["pending", "paid", "overdue"] as const;
const scopes = usualFreshOrFull<readonly (number | "all")[]>(["all"], [company, "all"], [company, "all"]);
const top = { limit: 20, beforeId: undefined, skip: 0 };
/** The read units that a first page and its total may cost together: for up to 100 matches, and for more. */
const mostUnits = { usual: 100, worst: 550 };

/** A fifth of the numbers are of 2025. Three of a hundred invoices are open. */
function lineOf(at: number) {
  const year = at * 5 < most ? 2025 : 2026;
  const state = at % 100 < 97 ? "paid" : at % 2 ? "pending" : "overdue";
  const issued_date = `${year}-${String(1 + (at % 12)).padStart(2, "0")}-${String(1 + (at % 28)).padStart(2, "0")}`;
  return invoiceLine(firstId + at, company, {
    number: `INV-${year}-1${String(at).padStart(5, "0")}`,
    state,
    issued_date,
  });
}

beforeAll(async () => {
  await importLines(Array.from({ length: most }, (_, at) => lineOf(at)));
}, 600_000);

const summer = { fromDate: "2026-06-01", toDate: "2026-08-31" };
const filters: [string, Partial<InvoiceFilter>][] = [
  ["alone", {}],
  ["paid", { states: ["paid"] }],
  ["open", { states: ["pending", "overdue"] }],
  ["a summer", summer],
  ["paid in a summer", { states: ["paid"], ...summer }],
];
const searches: [string, number][] = [
  ["INV-2025-100042", 1],
  ["2025-1001", 100],
  ["2025", most / 5],
  ["INV", most],
];

test.each(
  searches.flatMap(([number, matches]) =>
    filters.flatMap(([name, filter]) => scopes.map((scope) => ({ number, matches, name, filter, scope }))),
  ),
)("D22: $number, which $matches match, $name, of $scope: at most 550 read units, and 100 for up to 100 matches", async ({
  number,
  matches,
  name,
  filter,
  scope,
}) => {
  let total = 0;
  const began = performance.now();
  const cost = await costOf(async () => {
    ({ total } = await findInvoices({ scope, states, number, ...filter }, top));
  });
  const ms = Math.round(performance.now() - began);
  if (process.env.SHOW_FIGURES)
    console.info(
      `${number} ${matches}, ${name}, ${scope}: ${total}, ${cost.readUnits} units, ${cost.sequentialTrips} trips, ${ms} ms`,
    );
  if (name === "alone") {
    expect(total).toBe(matches);
    expect(cost.sequentialTrips).toBeLessThanOrEqual(3);
  }
  expect(cost.readUnits).toBeLessThanOrEqual(matches <= 100 ? mostUnits.usual : mostUnits.worst);
});
