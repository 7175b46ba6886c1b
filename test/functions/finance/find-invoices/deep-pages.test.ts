import { beforeAll, expect, inject, test } from "vitest";
import { findInvoices, type InvoiceFilter } from "../../../../functions/finance/find-invoices.ts";
import type { InvoiceState } from "../../../../shared/contract/finance.ts";
import { importLines } from "../../../bench/store/load.ts";
import { costOf } from "../../../support/records/costs.ts";
import { invoiceLine } from "../../../support/records/records.ts";
import { usualOrFull } from "../../../support/service/counts.ts";
import { useService } from "../../../support/service/service.ts";

const count = inject("engineName") === "dynamodb-local" ? 600 : usualOrFull(700, 2_400);
const states: readonly InvoiceState[] = ["pending", "paid", "overdue"];
const threeYears = { fromDate: "2024-01-01", toDate: "2026-12-31" };
const dated: InvoiceFilter = { scope: 1, states, ...threeYears };
const undated: InvoiceFilter = { scope: 1, states };

/** Ids that do not follow dates, two of three in company 1: the worst case of a range of dates. */
function lineOf(at: number) {
  const day = (at * 7_919) % 1_000;
  const issued_date = new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10);
  return invoiceLine(at + 1, at % 3 === 2 ? 2 : 1, { state: states[(at * 31) % 3], issued_date });
}

useService();

beforeAll(() => importLines(Array.from({ length: count }, (_, at) => lineOf(at))), 300_000);

function page(filter: InvoiceFilter, skip: number, limit = 100) {
  return findInvoices(filter, { limit, skip, beforeId: undefined });
}

test.each([
  ["within dates", dated],
  ["without dates", undated],
])("D30: the deepest page %s costs at most 20 times the read units of the first", async (_, filter) => {
  const first = await costOf(() => page(filter, 0, 20));
  const deepest = await costOf(() => page(filter, 900));
  expect(deepest.readUnits).toBeLessThanOrEqual(20 * first.readUnits);
});

test("D30: a page past the end costs the totals alone", async () => {
  const { total } = await page(undated, 0);
  const cost = await costOf(async () => expect(await page(dated, total)).toMatchObject({ items: [], hasMore: false }));
  const undatedCost = await costOf(async () => expect((await page(undated, total)).items).toEqual([]));
  expect(cost).toMatchObject({ sequentialTrips: 1 });
  expect(cost.readUnits).toBeLessThanOrEqual(20);
  expect(undatedCost.readUnits).toBeLessThanOrEqual(1);
});

test("D30: from the hundredth record on, rows are read only if the page has some", async () => {
  const none = { ...dated, fromDate: threeYears.toDate };
  const [deep, deepest] = [await costOf(() => page(none, 100)), await costOf(() => page(none, 4_900))];
  expect(deep).toEqual(deepest);
});
