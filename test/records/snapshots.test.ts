import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { handler as invoicesHandler } from "../../functions/finance/list-invoices.ts";
import { handler as timesheetsHandler } from "../../functions/finance/list-timesheets.ts";
import { handler as jobsHandler } from "../../functions/jobs/list-jobs.ts";
import { listInvoices, listTimesheets } from "../../shared/contract/finance.ts";
import { listJobs } from "../../shared/contract/jobs.ts";
import { findTimesheets } from "../../shared/records/timesheets.ts";
import { countDays, countList } from "../../shared/records/totals.ts";
import { chunksOf } from "../../shared/run/batches.ts";
import { counterWrites, type ListName } from "../../shared/table/counters.ts";
import { transact } from "../../shared/table/writes.ts";
import { costOf } from "../support/records/costs.ts";
import { timesheetLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { call } from "../support/requests/call.ts";
import { useService } from "../support/service/service.ts";
import { takeMessages } from "../support/workers/queues.ts";
import { withRefreshes } from "../support/workers/refreshes.ts";

useService();
beforeEach(() => takeMessages("TOTAL_QUEUE_URL"));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const admin = { id: 1, role: "admin", company_id: null } as const;
const [companies, few] = [480, 400];
const states = ["pending", "paid"];
const all = (list: ListName) => ({ list, scope: "all", states }) as const;
const january = { fromDate: "2026-01-01", toDate: "2026-01-31" };

/** Adds to a counter of each company from one to another. */
async function add(list: ListName, month: string, figures: Readonly<Record<string, number>>, from = 1, to = companies) {
  const counts = Array.from({ length: to - from + 1 }, (_, at) => from + at).map((companyId) => ({
    ...{ list, companyId, month },
    figures: new Map(Object.entries(figures)),
  }));
  for (const some of chunksOf(counts, 100)) await transact(counterWrites(some, 0));
}

const asked = async () =>
  (await takeMessages("TOTAL_QUEUE_URL")) as { readonly list: string; readonly month: string }[];

beforeAll(async () => {
  await add("TIMESHEETS", "ALL", { pending: 2, paid: 1 });
  await add("TIMESHEETS", "2026-01", { "05p": 2, "31a": 1 });
  await add("TIMESHEETS", "2025-12", { "31p": 1 }, 1, 10);
  await add("INVOICES", "ALL", { pending: 2, paid: 1 }, 1, few);
});

test("D30: 400 counters are summed at once, and nothing is asked of the worker; with one more of a partition a snapshot is read", async () => {
  expect(await countList(all("INVOICES"))).toBe(3 * few);
  await add("INVOICES", "ALL", { pending: -1 }, 4, 4);
  expect(await countList(all("INVOICES"))).toBe(3 * few - 1);
  expect(await asked()).toEqual([]);
  await add("INVOICES", "ALL", { paid: 1 }, few + 1, few + 1);
  expect(await withRefreshes(countList(all("INVOICES")))).toBe(3 * few);
});

test("D30: the total of more is at most a minute old: after half a minute it is asked for beside the answer, after one it is waited for", async () => {
  const [list, now] = [all("TIMESHEETS"), Date.now()];
  vi.useFakeTimers({ now, toFake: ["Date"] });
  expect(await withRefreshes(countList(list))).toBe(3 * companies);
  await add("TIMESHEETS", "ALL", { paid: 1 }, 1, 1);
  vi.setSystemTime(now + 30_000);
  expect([await countList(list), await asked()]).toEqual([3 * companies, []]);
  vi.setSystemTime(now + 60_000);
  expect([await countList(list), await asked()]).toMatchObject([3 * companies, [{ list: "TIMESHEETS", month: "ALL" }]]);
  vi.setSystemTime(now + 60_001);
  expect(await withRefreshes(countList(list))).toBe(3 * companies + 1);
  // A company's own is right at once.
  await add("TIMESHEETS", "ALL", { paid: 1 }, 1, 1);
  expect([await countList({ ...list, scope: 1 }), await countList(list)]).toEqual([5, 3 * companies + 1]);
});

test("D21, D30: no range of dates of all companies is refused for their number, and a month is asked for only if it is in the range", async () => {
  const dated = { ...all("TIMESHEETS"), ...january };
  const found = await withRefreshes(countDays(dated));
  expect(found.sort((one, other) => (one.date < other.date ? -1 : 1))).toEqual([
    { date: "2026-01-05", state: "pending", count: 2 * companies },
    { date: "2026-01-31", state: "paid", count: companies },
  ]);
  expect(await withRefreshes(countDays({ ...dated, fromDate: "2025-12-01" }))).toContainEqual({
    date: "2025-12-31",
    state: "pending",
    count: 10,
  });
  expect(await withRefreshes(countDays({ ...all("TIMESHEETS"), fromDate: "2025-01-01" }))).toHaveLength(3);
  const beyond = { ...dated, fromDate: "2027-01-01", toDate: "2027-12-31" };
  expect([await countDays(beyond), await asked()]).toEqual([[], []]);
});

test("D18, D30: a total that no worker reads is busy after eight seconds", async () => {
  await add("JOBS", "ALL", { published: 1 });
  const real = performance.now.bind(performance);
  let laterMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => real() + laterMs);
  const counting = countList({ list: "JOBS", scope: "all", states: ["published"] });
  const refused = expect(counting).rejects.toMatchObject({ code: "busy", facts: { retryAfterSeconds: 1 } });
  await vi.waitUntil(async () => (await asked()).length > 0, 6_000);
  laterMs = 8_000;
  await refused;
});

test("an undated total of all companies costs at most 12 read units in two round trips; of three months 20 in three", async () => {
  const months = { ...all("TIMESHEETS"), fromDate: "2025-12-01", toDate: "2026-01-31" };
  await withRefreshes(countList(all("TIMESHEETS")));
  await withRefreshes(countDays(months));
  const cost = await costOf(() => countList(all("TIMESHEETS")));
  expect(cost).toMatchObject({ writeUnits: 0, sequentialTrips: 2 });
  expect(cost.readUnits).toBeLessThanOrEqual(12);
  const dated = await costOf(() => countDays(months));
  expect(dated).toMatchObject({ writeUnits: 0, sequentialTrips: 3 });
  expect(dated.readUnits).toBeLessThanOrEqual(20);
});

test.each([
  ["invoices", () => call(invoicesHandler, listInvoices, { as: admin })],
  ["timesheets", () => call(timesheetsHandler, listTimesheets, { as: admin })],
  ["jobs", () => call(jobsHandler, listJobs, { as: admin })],
] as const)("D30: an admin's list of %s is answered when the worker has read its snapshot", async (_, list) => {
  vi.useFakeTimers({ now: Date.now() + 600_000, toFake: ["Date"] });
  expect(await withRefreshes(list())).toMatchObject({ status: 200 });
});

test("a page within dates has a record whose state is newer than the counts", async () => {
  const [first, others] = [
    { limit: 20, skip: 0, beforeId: undefined },
    Array.from({ length: 22 }, (_, at) => 9_000 + at),
  ];
  await store([timesheetLine(8_999, 1, { date: "2026-01-05", state: "pending" })]);
  await store(others.map((id) => timesheetLine(id, 2, { date: "2024-01-05" })));
  const page = (state: string) => findTimesheets({ scope: "all", states: [state], ...january }, first);
  expect((await withRefreshes(page("pending"))).items.map(({ id }) => id)).toEqual([8_999]);
  await store([timesheetLine(8_999, 1, { date: "2026-01-05", state: "paid" })]);
  await store(others.map((id) => timesheetLine(id, 2, { date: "2024-01-05", state: "paid" })));
  expect((await page("paid")).items.map(({ id }) => id)).toEqual([8_999]);
});
