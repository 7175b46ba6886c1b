import { beforeAll, expect, test } from "vitest";
import { findInvoices } from "../../../../functions/finance/find-invoices.ts";
import type { InvoiceState } from "../../../../shared/contract/finance.ts";
import { costOf } from "../../../support/records/costs.ts";
import { invoiceLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { usualFreshOrFull } from "../../../support/service/fresh-counts.ts";
import { fc } from "../../../support/service/properties.ts";
import { useService } from "../../../support/service/service.ts";

interface Known {
  readonly id: number;
  readonly companyId: number;
  readonly state: InvoiceState;
  readonly date: string;
}

const states = ["pending", "paid", "overdue"] as const;
const known: Known[] = Array.from({ length: 400 }, (_, at) => ({
  id: at + 1,
  companyId: 1 + (at % 3),
  state: states[(at * 7 + (at >> 4)) % 3] ?? "paid",
  // Half the ids follow dates, the other half are scattered over the year.
  date: new Date(Date.UTC(2025, 0, 1 + (at % 2 ? (at * 181) % 365 : Math.floor(at * 0.9)))).toISOString().slice(0, 10),
}));
/** These stood in other states and on other days before. */
const moved = known.filter(({ id }) => id % 5 === 0 || id > 360);

useService();

beforeAll(async () => {
  const lineOf = ({ id, companyId, state, date }: Known) => invoiceLine(id, companyId, { state, issued_date: date });
  await store(known.map(lineOf));
  await store(moved.map(({ id }) => ({ type: "invoice", id, state: "pending", issued_date: "2025-06-15" })));
  await store(moved.map(({ id, state, date }) => ({ type: "invoice", id, state, issued_date: date })));
}, 180_000);

const someDate = fc
  .integer({ min: -20, max: 390 })
  .map((day) => new Date(Date.UTC(2025, 0, day)).toISOString().slice(0, 10));

const someRange = fc
  .tuple(fc.option(someDate, { nil: undefined }), fc.option(someDate, { nil: undefined }))
  .map(([one, other]) => (one && other && one > other ? ([other, one] as const) : ([one, other] as const)));

test("D21, D30: any filters, any page: the ids and the total are those of a model, in descending order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        scope: fc.constantFrom("all" as const, 1, 2, 9),
        states: fc.subarray([...states], { minLength: 1 }),
        range: someRange,
        limit: fc.integer({ min: 1, max: 50 }),
        skip: fc.constantFrom(0, 0, 20, 300),
        beforeId: fc.option(fc.integer({ min: 1, max: 420 }), { nil: undefined }),
      }),
      async ({ scope, states, range: [fromDate, toDate], limit, skip, beforeId }) => {
        const matching = known
          .filter((each) => (scope === "all" || each.companyId === scope) && states.includes(each.state))
          .filter(({ date }) => (fromDate ?? "") <= date && date <= (toDate ?? "9999"))
          .sort((a, b) => b.id - a.id);
        const following = matching.filter(({ id }) => beforeId === undefined || id < beforeId);
        const page = await findInvoices({ scope, states, fromDate, toDate }, { limit, skip, beforeId });
        expect(page.items.map(({ id }) => id)).toEqual(following.slice(skip, skip + limit).map(({ id }) => id));
        expect(page).toMatchObject({ total: matching.length, hasMore: following.length > skip + limit });
      },
    ),
    { numRuns: usualFreshOrFull(20, 40, 150) },
  );
}, 180_000);

test("a page of a range of dates keeps within its bar though records left their first days", async () => {
  const range = { fromDate: "2025-01-01", toDate: "2025-12-31" };
  const start = { limit: 20, skip: 0, beforeId: undefined };
  const cost = await costOf(() => findInvoices({ scope: "all", states: [...states], ...range }, start));
  expect(cost.readUnits).toBeLessThanOrEqual(20);
});
