import type { QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { findInvoices, type InvoiceFilter } from "../../../../functions/finance/find-invoices.ts";
import { isWithinRange } from "../../../../shared/run/paging.ts";
import { counterWrites } from "../../../../shared/table/counters.ts";
import { tableClient } from "../../../../shared/table/table.ts";
import { transact } from "../../../../shared/table/writes.ts";
import { invoiceLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { useService } from "../../../support/service/service.ts";

useService();

const states = ["pending", "paid", "overdue"] as const;
const top = { limit: 20, beforeId: undefined, skip: 0 };
const totalAlone = { ...top, limit: 0 };
/** More than one batch of records. */
const count = 330;
const companies = [11, 12, 13] as const;

function lineOf(company: number, at: number) {
  const issued_date = `2026-0${1 + (at % 3)}-${String(1 + (at % 28)).padStart(2, "0")}`;
  return invoiceLine(company * 1_000 + at, company, { number: `R${at}`, state: states[at % 3], issued_date });
}

const lines = companies.flatMap((company) => Array.from({ length: count }, (_, at) => lineOf(company, at)));

/** Says by the counters that a company has more invoices than it has, in one month of each state. */
async function pretend(company: number, figures: Readonly<Record<string, number>>): Promise<void> {
  const days = Object.entries(figures).map(
    ([state, more]) => [`01${state === "paid" ? "a" : state[0]}`, more] as const,
  );
  const of = { list: "INVOICES", companyId: company } as const;
  const all = { ...of, month: "ALL", figures: new Map(Object.entries(figures)) };
  await transact(counterWrites([all, { ...of, month: "2026-01", figures: new Map(days) }], 0));
}

/** Has each query for entries of a company's numbers find so many, of invoices that are not there. */
function findEntries(company: number, count: number): void {
  const Items = Array.from({ length: count }, (_, id) => ({ sk: `z-${id}-##2026-01-01#${id + 1}` }));
  const output = { $metadata: {}, Items, Count: count };
  tableClient().middlewareStack.add(
    (next) => async (args) => {
      const { ExpressionAttributeValues: values } = args.input as QueryCommandInput;
      const isOfEntries = String(values?.[":key"]).startsWith(`COMPANY#${company}#NUMBERS#`);
      return isOfEntries ? { output, response: {} } : next(args);
    },
    { step: "initialize", name: "entries", override: true },
  );
}

beforeAll(async () => {
  await store(lines);
  await pretend(12, { paid: 9_000 });
  await pretend(13, { paid: 10_001, pending: 10_001 });
}, 120_000);

function expected(company: number, { states: some = states, ...range }: Partial<InvoiceFilter>): number[] {
  return lines
    .filter(({ company_id, state, issued_date }) => {
      return company_id === company && some.includes(String(state)) && isWithinRange(issued_date, range);
    })
    .map(({ id }) => id)
    .sort((one, other) => other - one);
}

const january = { fromDate: "2026-01-01", toDate: "2026-01-20" };
const filters: Partial<InvoiceFilter>[] = [
  {},
  { states: ["pending", "overdue"] },
  { states: ["paid"], ...january },
  { fromDate: "2026-02-10" },
  { states: ["pending"], toDate: "2026-03-05" },
];

test.each(
  companies.flatMap((company) => filters.map((filter) => ({ company, filter }))),
)("D22: a company like $company, with $filter: every match once, page by page", async ({ company, filter }) => {
  const ids = expected(company, filter);
  const query = { scope: company, states, number: "r", ...filter };
  const found: number[] = [];
  for (let beforeId: number | undefined; ; beforeId = found.at(-1)) {
    const { items, total, hasMore } = await findInvoices(query, { limit: 100, skip: 0, beforeId });
    expect(total).toBe(ids.length);
    found.push(...items.map(({ id }) => id));
    if (!hasMore) break;
  }
  expect(found).toEqual(ids);
  const { items } = await findInvoices(query, { ...top, skip: 40 });
  expect(items.map(({ id }) => id)).toEqual(ids.slice(40, 60));
});

test("D22: of all companies, by state and dates", async () => {
  for (const filter of filters) {
    const ids = companies.flatMap((company) => expected(company, filter)).sort((one, other) => other - one);
    const { items, total } = await findInvoices({ scope: "all", states, number: "r", ...filter }, top);
    expect([total, items.map(({ id }) => id)]).toEqual([ids.length, ids.slice(0, 20)]);
  }
});

test("D22: 10,000 matches are answered; more are refused, unless the other filters leave at most 10,000 rows", async () => {
  onTestFinished(() => void tableClient().middlewareStack.remove("entries"));
  await pretend(14, { paid: 9_999 });
  const search = (filter: Partial<InvoiceFilter>, number = "z") =>
    findInvoices({ scope: 14, states, number, ...filter }, totalAlone).then(({ total }) => total);
  findEntries(14, 10_000);
  expect(await search({})).toBe(10_000);
  findEntries(14, 10_001);
  // The rows are read that the counters say, and none of them is there.
  expect(await search({})).toBe(0);
  await pretend(14, { pending: 1 });
  expect(await search({})).toBe(0);
  await pretend(14, { pending: 1 });
  await expect(search({})).rejects.toMatchObject({
    code: "query_too_broad",
    facts: { errors: [{ parameter: "by_number", code: "too_broad", detail: expect.stringContaining("by_state") }] },
  });
  await expect(search(january)).rejects.toMatchObject({ code: "query_too_broad" });
  expect(await search({ states: ["pending"] })).toBe(0);
  expect(await search({ states: ["paid"] })).toBe(0);
  expect(await search({ fromDate: "2026-02-01" })).toBe(0);
  await pretend(14, { paid: 2 });
  await expect(search({ states: ["paid"] })).rejects.toMatchObject({ code: "query_too_broad" });
  findEntries(14, 10_000);
  expect(await search(january)).toBe(10_000);
  findEntries(14, 1_000);
  // The records are read that the entries name, and none of them is there.
  expect(await search({ states: ["paid"] })).toBe(0);
  findEntries(14, 1_001);
  await expect(search({ states: ["paid"] })).rejects.toMatchObject({ code: "query_too_broad" });
  // For zeros alone no entry is read.
  await expect(search({}, "00")).rejects.toMatchObject({ code: "query_too_broad" });
  expect(await search({ states: ["overdue"] }, "00")).toBe(0);
});

test("D22: an invoice counts once, however many of its parts match", async () => {
  const numbers = ["7-7-7", "70/71/72", "X7Y7"];
  await store(numbers.map((number, at) => invoiceLine(15_000 + at, 15, { number })));
  expect(await findInvoices({ scope: 15, states, number: "7" }, top)).toMatchObject({ total: 3, hasMore: false });
  expect(await findInvoices({ scope: 15, states: ["pending"], number: "7" }, top)).toMatchObject({ total: 3 });
});
