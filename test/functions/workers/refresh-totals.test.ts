import { afterEach, expect, test, vi } from "vitest";
import { handler } from "../../../functions/workers/refresh-totals.ts";
import { snapshotKey } from "../../../shared/records/snapshots.ts";
import { counterWrites } from "../../../shared/table/counters.ts";
import { transact } from "../../../shared/table/writes.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { costOf } from "../../support/records/costs.ts";
import { companyLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { useService } from "../../support/service/service.ts";
import { nothingFailed, queueEvent } from "../../support/workers/workers.ts";

useService();
const network = useNetwork();
afterEach(() => void vi.useRealTimers());

type SnapshotList = Parameters<typeof snapshotKey>[0];

/** Adds to a part of the counter of a company's timesheets. */
function add(companyId: number, month: string, figures: Readonly<Record<string, number>>, part = 0) {
  const count = { list: "TIMESHEETS", companyId, month, figures: new Map(Object.entries(figures)) } as const;
  return counterWrites([count], part);
}

async function refresh(list: SnapshotList, month: string) {
  expect(await handler(queueEvent({ list, month }))).toEqual(nothingFailed);
  return readItem(snapshotKey(list, month));
}

test("the snapshots of a list are the sums of all parts, of all and of a month, and the months that it has", async () => {
  await transact([...add(1, "ALL", { pending: 5, paid: -1 }), ...add(1, "ALL", { pending: -2, paid: 2 }, 7)]);
  await transact([...add(2, "ALL", { pending: 7 }, 3), ...add(5, "ALL", { overdue: 9 })]);
  await transact([...add(1, "2026-02", { "05p": 3, "31a": 1 }), ...add(2, "2026-02", { "05p": 4, "01o": 1 }, 2)]);
  await transact([...add(3, "2026-03", { "01p": 1 }), ...add(2, "1970-01", { "01p": 1 })]);
  const of = async (month: string) => (await refresh("TIMESHEETS", month))?.figures;
  expect(await of("ALL")).toEqual({ pending: 10, paid: 1, overdue: 9 });
  expect(await of("2026-02")).toEqual({ "05p": 7, "31a": 1, "01o": 1 });
  expect(Object.keys((await of("MONTHS")) as object).sort()).toEqual(["1970-01", "2026-02", "2026-03"]);
  expect([await refresh("JOBS", "ALL"), await refresh("JOBS", "MONTHS")]).toMatchObject([
    { figures: {} },
    { figures: {} },
  ]);
});

test("the snapshot of companies is their number", async () => {
  await store([1, 2, 3].map((id) => companyLine(id, `Company ${id}`)));
  expect(await refresh("COMPANIES", "ALL")).toMatchObject({ figures: { companies: 3 } });
});

test("one refresh at a time: a message for one that is under way, or was read within half a minute, reads nothing", async () => {
  const now = Date.now();
  vi.useFakeTimers({ now, toFake: ["Date"] });
  await transact(add(1, "2026-05", { "05p": 3 }));
  const release = network.hold("Query");
  const first = refresh("TIMESHEETS", "2026-05");
  await network.held("Query");
  const again = () => costOf(() => handler(queueEvent({ list: "TIMESHEETS", month: "2026-05" })));
  expect(await again()).toMatchObject({ readUnits: 0, sequentialTrips: 1 });
  release();
  const read = await first;
  expect(read).toMatchObject({ read_at: now, figures: { "05p": 3 } });
  expect(read).not.toHaveProperty("held_until");
  vi.setSystemTime(now + 30_000);
  expect(await again()).toMatchObject({ readUnits: 0, sequentialTrips: 1 });
  vi.setSystemTime(now + 30_001);
  expect(await refresh("TIMESHEETS", "2026-05")).toMatchObject({ read_at: now + 30_001 });
});

test("a reading that does not end holds up the next one for half a minute, and what it finds then is left", async () => {
  const now = Date.now();
  vi.useFakeTimers({ now, toFake: ["Date"] });
  const release = network.hold("Query");
  const first = refresh("TIMESHEETS", "2026-06");
  await network.held("Query");
  vi.setSystemTime(now + 30_001);
  const second = refresh("TIMESHEETS", "2026-06");
  await network.held("Query");
  release();
  await Promise.all([first, second]);
  expect(await readItem(snapshotKey("TIMESHEETS", "2026-06"))).toMatchObject({ read_at: now + 30_001 });
});

test.each([
  { list: "USERS", month: "ALL" },
  { list: "JOBS", month: "2026" },
  { list: "JOBS" },
])("%j goes back", async (message) => {
  expect((await handler(queueEvent(message))).batchItemFailures).toHaveLength(1);
});
