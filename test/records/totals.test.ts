import { beforeEach, expect, test } from "vitest";
import { findTimesheets } from "../../shared/records/timesheets.ts";
import { countDays, countList } from "../../shared/records/totals.ts";
import { counterWrites } from "../../shared/table/counters.ts";
import { transact } from "../../shared/table/writes.ts";
import { costOf } from "../support/records/costs.ts";
import { timesheetLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { countedMetrics, loggedLines } from "../support/service/capture-logs.ts";
import { useService } from "../support/service/service.ts";

useService();
beforeEach(() => {
  loggedLines.length = 0;
});

const states = ["pending", "paid"];

/** Adds to a part of a company's counter. */
function add(companyId: number, month: string, figures: Readonly<Record<string, number>>, part = 0) {
  const count = { list: "TIMESHEETS", companyId, month, figures: new Map(Object.entries(figures)) } as const;
  return counterWrites([count], part);
}

/** The counts of days, by date. */
async function daysOf(selection: Parameters<typeof countDays>[0]) {
  return (await countDays(selection)).sort((one, other) => (one.date < other.date ? -1 : 1));
}

const list = (scope: number | "all") => ({ list: "TIMESHEETS", scope, states }) as const;

test("figures are the sums of all parts, of a company and of all companies", async () => {
  await transact([...add(1, "ALL", { pending: 5, paid: -1 }), ...add(1, "ALL", { pending: -2, paid: 2 }, 11)]);
  await transact([...add(2, "ALL", { pending: 7 }, 3), ...add(3, "ALL", { overdue: 9 })]);
  expect([await countList(list(1)), await countList(list(2)), await countList(list("all"))]).toEqual([4, 7, 11]);
  await transact([...add(1, "2026-02", { "05p": 3, "06a": 1 }), ...add(1, "2026-02", { "05p": -1 }, 8)]);
  await transact([...add(1, "2026-02", { "07p": 2 }, 1), ...add(1, "2026-02", { "07p": -2 }, 2)]);
  await transact([...add(2, "2026-02", { "05p": 4 }), ...add(1, "2026-03", { "01p": 1 })]);
  const range = { fromDate: "2026-02-06", toDate: "2026-02-28" };
  expect(await daysOf({ ...list(1), ...range })).toEqual([
    { date: "2026-02-05", state: "pending", count: 2 },
    { date: "2026-02-06", state: "paid", count: 1 },
  ]);
  expect(await daysOf({ ...list("all"), fromDate: "2026-02-06" })).toEqual([
    { date: "2026-02-05", state: "pending", count: 6 },
    { date: "2026-02-06", state: "paid", count: 1 },
    { date: "2026-03-01", state: "pending", count: 1 },
  ]);
});

test("a company's total costs one read unit with every part, and is read consistently", async () => {
  const parts = Array.from({ length: 12 }, (_, part) => add(4, "ALL", { pending: 1_000, paid: 90_000 }, part));
  await transact(parts.flat());
  expect(await costOf(() => countList(list(4)))).toMatchObject({ readUnits: 1, sequentialTrips: 1 });
});

test("a sum below zero in two reads counts as 0, and is logged and counted", async () => {
  await transact([...add(5, "ALL", { pending: -2, paid: 3 }), ...add(5, "2026-02", { "05p": -1, "05a": 2 })]);
  expect(await countList(list(5))).toBe(3);
  expect(await daysOf(list(5))).toEqual([{ date: "2026-02-05", state: "paid", count: 2 }]);
  expect(countedMetrics()).toEqual([{ CountersBelowZero: 1 }, { CountersBelowZero: 1 }]);
  const fault = { level: "error", message: "Counters are below zero", list: "TIMESHEETS", company_id: 5 };
  expect(loggedLines.map((line) => JSON.parse(line)).filter(({ level }) => level)).toMatchObject([fault, fault]);
});

test("of all companies a sum below zero counts as 0: an index may have one part late", async () => {
  await transact(add(6, "2026-05", { "05p": -4 }));
  expect(await daysOf({ ...list("all"), fromDate: "2026-05-01", toDate: "2026-05-31" })).toEqual([]);
  expect(countedMetrics()).toEqual([]);
});

test("D21: dates of all companies that take more than 2,000 days and states are query_too_broad", async () => {
  const days = Array.from({ length: 28 }, (_, at) => String(at + 1).padStart(2, "0"));
  const figures = Object.fromEntries(days.flatMap((day) => [`${day}p`, `${day}a`]).map((figure) => [figure, 1]));
  const months = Array.from(
    { length: 36 },
    (_, at) => `300${Math.floor(at / 12)}-${String(1 + (at % 12)).padStart(2, "0")}`,
  );
  await transact(months.flatMap((month) => add(7, month, figures)));
  // Newer records than those in the range: each of its days would be opened.
  await store(Array.from({ length: 21 }, (_, at) => timesheetLine(900 + at, 8)));
  const page = (scope: "all" | number, fromDate: string) =>
    findTimesheets({ scope, states, fromDate }, { limit: 20, skip: 0, beforeId: undefined });
  await expect(page("all", "3000-01-01")).rejects.toMatchObject({ code: "query_too_broad" });
  await expect(page("all", "3002-12-01")).resolves.toMatchObject({ items: [] });
  await expect(page(7, "3000-01-01")).resolves.toMatchObject({ items: [] });
});
