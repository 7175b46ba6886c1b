import { expect, test } from "vitest";
import { recordKey } from "../../../shared/table/table.ts";
import { expectExactCounters } from "../../support/records/exact-counters.ts";
import { invoiceLine } from "../../support/records/records.ts";
import { readPlace, write } from "../../support/records/writes.ts";
import { useService } from "../../support/service/service.ts";
import { runImport, streamOf } from "./run-import.ts";

useService();

const ids = Array.from({ length: 120 }, (_, at) => 1 + at);
const imported = (id: number) => invoiceLine(id, 1 + (id % 3), { version: 5, state: "pending", total: "5.00" });
/** The events of another system about the same invoice meanwhile: something older, newer, of another company, or that it is gone. */
const events = {
  older: (id: number) => invoiceLine(id, 7, { version: 4, state: "overdue", total: "4.00" }),
  newer: (id: number) => invoiceLine(id, 8, { version: 6, state: "paid", total: "6.00" }),
  removal: (id: number) => ({ type: "invoice", id, version: 6, deleted: true }),
};
const kinds = Object.keys(events) as (keyof typeof events)[];
const kindOf = (id: number) => kinds[id % 3] ?? "older";

async function shuffled<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const order = items.map((item) => ({ item, at: Math.random() })).sort((one, other) => one.at - other.at);
  const waiting = order.values();
  const worker = async () => {
    for (const { item } of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

test("D35: an import races with events on the same ids: the newest wins, and the totals are exact", async () => {
  const [{ summary, errors }] = await Promise.all([
    runImport(streamOf(...ids.map(imported)), { concurrency: 20 }),
    shuffled(ids, (id) => write(events[kindOf(id)](id), { notifies: true })),
  ]);
  expect(errors).toEqual([]);
  expect(summary.created + summary.updated + summary.stale + summary.unchanged).toBe(ids.length);

  const expected = { older: "5.00", newer: "6.00", removal: undefined };
  const found = await Promise.all(
    ids.map(async (id) => {
      const { record, removed_at, version } = (await readPlace(recordKey("INVOICE", id))) ?? {};
      return [id, (record as { total?: string } | undefined)?.total, removed_at ? version : undefined];
    }),
  );
  const isRemoved = (id: number) => kindOf(id) === "removal";
  expect(found).toEqual(ids.map((id) => [id, expected[kindOf(id)], isRemoved(id) ? 6 : undefined]));
  await expectExactCounters();
});
