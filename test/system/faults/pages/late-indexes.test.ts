import { afterEach, expect, test, vi } from "vitest";
import { findTimesheets } from "../../../../shared/db/records/timesheets.ts";
import { recordKey } from "../../../../shared/db/table/item-keys.ts";
import { getItem } from "../../../../shared/db/table/table.ts";
import { timesheetLine } from "../../../support/records/records.ts";
import { write } from "../../../support/records/writes.ts";
import { useService } from "../../../support/service/service.ts";
import { useLateIndexes } from "./late-indexes.ts";

useService();
const late = useLateIndexes();
afterEach(() => late.end());

const top = { limit: 20, skip: 0, beforeId: undefined };

async function idsIn(state: string): Promise<number[]> {
  const { items } = await findTimesheets({ scope: 1, states: [state] }, top);
  return items.map(({ id }) => id);
}

const change = (id: number, state: string) => write({ type: "timesheet", id, state });

test("without a lag an index shows what is written at once, page by page", async () => {
  for (const id of [1, 2, 3]) await write(timesheetLine(id, 1));
  expect(await idsIn("pending")).toEqual([3, 2, 1]);
  await change(2, "paid");
  expect([await idsIn("pending"), await idsIn("paid")]).toEqual([[3, 1], [2]]);
  await write({ type: "timesheet", id: 3, deleted: true });
  expect(await idsIn("pending")).toEqual([1]);
});

test("with a lag the table has a write at once, and the index later, each item in its own order", async () => {
  await write(timesheetLine(4, 1));
  // The lag outlasts what is done meanwhile, also on a machine that is busy.
  late.begin({ leastMs: 1_500, mostMs: 1_800 });
  for (const state of ["paid", "pending", "paid"]) await change(4, state);
  await write(timesheetLine(5, 1));
  expect(await getItem(recordKey("TIMESHEET", 5), { consistent: true })).toBeDefined();
  expect(await idsIn("pending")).toContain(4);
  expect(await idsIn("pending")).not.toContain(5);
  await vi.waitFor(async () => expect(await idsIn("pending")).toContain(5), { timeout: 5_000 });
  await late.end();
  expect(await idsIn("paid")).toContain(4);
});
