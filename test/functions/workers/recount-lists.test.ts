import { afterEach, beforeEach, expect, type MockInstance, test, vi } from "vitest";
import { handler } from "../../../functions/workers/recount-lists.ts";
import { companiesOfNight, findCountedCompanies } from "../../../shared/db/lists/counted-companies.ts";
import { transact } from "../../../shared/db/table/transaction.ts";
import { counterWrites } from "../../../shared/db/writes/counters.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { invoiceLine, jobLine, timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { countedMetrics, loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";
import { besideHandlers } from "../../system/rights/recorded-calls.ts";

useService();
const proxy = useNetwork();
const realSetTimeout = globalThis.setTimeout;
const pauses: number[] = [];
let timers: MockInstance;

beforeEach(() => {
  loggedLines.splice(0);
  pauses.splice(0);
  proxy.reset();
  // The pauses between two looks and for the index end at once.
  const pause = (resume: () => void, milliseconds = 0) => {
    if (![2_000, 60_000].includes(milliseconds)) return realSetTimeout(resume, milliseconds);
    pauses.push(milliseconds);
    return realSetTimeout(resume, 0);
  };
  timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(pause as typeof setTimeout);
});
afterEach(() => timers.mockRestore());

function logged() {
  return loggedLines.map((line) => JSON.parse(line)).find(({ differences }) => differences !== undefined);
}

function addTo(companyId: number, figure: string, amount: number, month = "ALL") {
  const counts = [{ list: "INVOICES" as const, companyId, month, figures: new Map([[figure, amount]]) }];
  return besideHandlers(() => transact(counterWrites(counts, 0)));
}

test("counters that are exact are a figure of 0, after one look that reads no record", async () => {
  await store([invoiceLine(1, 1), invoiceLine(2, 2, { state: "paid" }), timesheetLine(1, 1), jobLine(1, 3)]);
  proxy.reset();
  await handler();
  expect(countedMetrics()).toEqual([{ CounterDifferences: 0 }]);
  expect(logged()).toMatchObject({ level: "info", companies: 3, records: 4, differences: 0, lists_left: 0 });
  expect([...proxy.calls.keys()]).toEqual(["Query"]);
  expect(pauses).toEqual([]);
});

test("counters that differ are a figure and named in the log, after a minute and with their records; none is repaired", async () => {
  await addTo(1, "01p", 7, "2026-05");
  await addTo(2, "paid", -1);
  for (const run of [1, 2]) {
    loggedLines.splice(0);
    await handler();
    expect(countedMetrics(), `run ${run}`).toEqual([{ CounterDifferences: 2 }]);
  }
  const { level, code, shown } = logged();
  expect({ level, code }).toEqual({ level: "error", code: "counters_differ" });
  expect(shown.split("; ").sort()).toEqual([
    "INVOICES of company 1, 2026-05: 01p -7",
    "INVOICES of company 2, ALL: paid +1",
  ]);
  expect(pauses.filter((ms) => ms === 60_000)).toHaveLength(4);
  expect(proxy.calls.get("TransactWriteItems")).toBe(2);
});

test("ten of many are named in the log, and all are counted", async () => {
  for (let company = 10; company < 25; company += 1) await addTo(company, "paid", 1);
  await handler();
  expect(countedMetrics()).toEqual([{ CounterDifferences: 17 }]);
  expect(logged().shown.split("; ")).toHaveLength(10);
});

test.each([
  [1, [{ CounterDifferences: 1 }]],
  [0, []],
])("a night that ends after %i list has a figure only if something differs", async (begun, figures) => {
  let asked = 0;
  // To the millisecond: a list begins at the last moment, and none a millisecond later.
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    asked += 1;
    return asked > 2 ? 1_600_000 + Number(asked > 2 + begun) : 1_000_000;
  });
  await handler().finally(() => clock.mockRestore());
  expect(countedMetrics()).toEqual(figures);
  expect(logged()).toMatchObject({ lists_left: 3 * 18 - begun });
  expect(loggedLines.map((line) => JSON.parse(line).duration_ms)).toContain(600_001);
});

test("a table that cannot be read is a fault that the schedule sees, and no figure", async () => {
  const denied = { __type: "com.amazon.coral.service#AccessDeniedException", message: "no" };
  proxy.fail("Query", { status: 400, body: denied }, 1);
  await expect(handler()).rejects.toThrow();
  expect(countedMetrics()).toEqual([]);
});

test("the companies are those that have counters in any list, by id, each with the sum of its parts", async () => {
  const companies = await besideHandlers(findCountedCompanies);
  expect([...companies.keys()].slice(0, 4)).toEqual([1, 2, 3, 10]);
  expect(companies.get(1)).toBe(2);
});

const dayMs = 86_400_000;
const nights = (companies: ReadonlyMap<number, number>, count: number) =>
  Array.from({ length: count }, (_, night) => companiesOfNight(companies, new Date(20_000 * dayMs + night * dayMs)));

test("all companies are compared each night while their records fit into one", () => {
  const companies = new Map(Array.from({ length: 1_000 }, (_, at) => [at + 1, 3_000] as const));
  for (const night of nights(companies, 2)) expect(night).toEqual([...companies.keys()]);
  expect(nights(new Map(), 1)).toEqual([[]]);
});

test("more are compared in as many nights as it takes, each once in a round", () => {
  const companies = new Map(
    Array.from({ length: 10_000 }, (_, at) => [at + 1, at === 4_000 ? 20_000_000 : 4_000] as const),
  );
  const round = nights(companies, 11);
  expect(round.flat().sort((one, other) => one - other)).toEqual([...companies.keys()]);
  expect(Math.max(...round.map((night) => night.length))).toBeLessThanOrEqual(1_001);
  expect(nights(companies, 12).at(-1)).toEqual(round[0]);
});
