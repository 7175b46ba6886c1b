import { beforeEach, expect, test } from "vitest";
import { countChanges } from "../../shared/db/lists/update-totals.ts";
import { reconcileTotals } from "../../shared/db/reconcile/reconcile-totals.ts";
import { findInvoices } from "../../shared/db/records/invoices.ts";
import { type RecordKind, recordKey } from "../../shared/db/table/keys.ts";
import { putIf } from "../../shared/db/table/table.ts";
import type { TableChange } from "../../shared/db/table/table-changes.ts";
import { useFaultProxy } from "../support/faults/fault-proxy.ts";
import { costOf } from "../support/records/costs.ts";
import { invoiceLine, timesheetLine } from "../support/records/records.ts";
import { readItem, write } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";

useService();
const proxy = useFaultProxy();
beforeEach(() => proxy.reset());

let events = 0;
const now = new Date("2026-05-10T12:00:00.000Z");
const all = { scope: "all", states: ["pending", "paid", "overdue"] } as const;
const top = { limit: 20, beforeId: undefined, skip: 0 };

/** Writes a line, and gives the change as the stream does. */
async function change(
  line: { readonly type: string; readonly id: number } & Record<string, unknown>,
): Promise<TableChange> {
  const key = recordKey(line.type.toUpperCase() as RecordKind, line.id);
  const before = await readItem(key);
  await write(line);
  events += 1;
  return { eventId: `event-${events}`, key, before, after: await readItem(key) };
}

async function expectExact(): Promise<void> {
  const { drifts, uncounted, unreadable } = await reconcileTotals();
  expect({ drifts, uncounted, unreadable }).toEqual({ drifts: [], uncounted: [], unreadable: [] });
}

test("changes are counted once, run again from the start, in any order and by consumers side by side", async () => {
  const changes = [
    await change(invoiceLine(1, 1, { number: "INV-1" })),
    await change({ type: "invoice", id: 1, state: "paid" }),
    await change({ type: "invoice", id: 1, number: "ROOK-7" }),
    await change({ type: "invoice", id: 1, company_id: 2 }),
    await change({ type: "invoice", id: 1, state: "overdue", issued_date: "2026-02-01" }),
    await change({ type: "invoice", id: 1, number: "INV-1" }),
    await change(timesheetLine(1, 1)),
    await change({ type: "timesheet", id: 1, deleted: true }),
  ];
  for (const each of changes) await countChanges([each], now);
  await expectExact();
  for (const each of changes.toReversed()) await countChanges([each], now);
  await expectExact();
  await Promise.all([countChanges(changes, now), countChanges(changes.slice(0, 3), now), countChanges(changes, now)]);
  await expectExact();
  expect((await findInvoices({ ...all, number: "rook" }, top)).total).toBe(0);
  expect((await findInvoices({ ...all, number: "inv-1" }, top)).items.map(({ id }) => id)).toEqual([1]);
});

test("a consumer that is delayed counts nothing that a later change has left, even one that led back", async () => {
  await countChanges([await change(invoiceLine(10, 1))], now);
  const there = await change({ type: "invoice", id: 10, state: "paid" });
  const release = proxy.hold("TransactWriteItems");
  const late = countChanges([there], now);
  await expect.poll(() => proxy.holding("TransactWriteItems")).toBe(true);
  const back = await change({ type: "invoice", id: 10, state: "pending" });
  await countChanges([back], now);
  release();
  await late;
  await expectExact();
});

test("search entries that a try stored and did not count go when it is repeated", async () => {
  await countChanges([await change(invoiceLine(20, 1, { number: "FIRST-1" }))], now);
  const second = await change({ type: "invoice", id: 20, number: "SECOND-2" });
  proxy.fail("TransactWriteItems", { status: 400, body: { __type: "ResourceNotFoundException" } }, 1);
  await expect(countChanges([second], now)).rejects.toThrow();
  const third = await change({ type: "invoice", id: 20, number: "THIRD-3" });
  await countChanges([third], now);
  expect((await reconcileTotals()).drifts.map(({ figure }) => figure)).toEqual(["entries"]);
  await countChanges([second], now);
  await expectExact();
});

test("a record that comes again with a lower revision, as after a clock that went back, is counted", async () => {
  const made = await change(invoiceLine(30, 1));
  const gone = await change({ type: "invoice", id: 30, deleted: true });
  await countChanges([made, gone], now);
  const item = { ...made.after, pk: gone.key.pk, sk: gone.key.sk, revision: 5 };
  await putIf({ Item: item });
  await countChanges([{ eventId: "again", key: gone.key, before: undefined, after: item }], now);
  await expectExact();
  const paid = await change({ type: "invoice", id: 30, state: "paid" });
  await countChanges([paid], now);
  await countChanges([gone, made], now);
  await expectExact();
});

test("changes of a table that was restored to before them count what the table has", async () => {
  const made = await change(invoiceLine(40, 1));
  await countChanges([made], now);
  const ahead = { ...made.after, pk: made.key.pk, sk: made.key.sk, revision: 2 ** 50 };
  const record = { ...(made.after?.record as object), state: "paid" };
  await countChanges([{ eventId: "ahead", key: made.key, before: made.after, after: { ...ahead, record } }], now);
  await expectExact();
});

const day = (at: number) => `2026-06-${String(1 + (at % 30)).padStart(2, "0")}`;
const inState = (at: number) => (["pending", "paid", "overdue"] as const)[Math.floor(at / 30) % 3] ?? "pending";

test("write units of a dense month keep within their bars, alone and in a batch", async () => {
  const base = 1_000_000_000;
  const dense = [];
  for (let at = 0; at < 180; at += 1) {
    dense.push(
      await change(invoiceLine(base + at, 77, { issued_date: day(at), state: inState(at), number: `X${at}` })),
    );
  }
  await countChanges(dense.slice(0, 90), now);
  await countChanges(dense.slice(90), now);
  const newLine = (id: number) => invoiceLine(id, 77, { issued_date: day(id), number: "INV-2026-00031" });
  const costOfCounting = async (changes: readonly TableChange[]) => {
    const { writeUnits, readUnits } = await costOf(() => countChanges(changes, now));
    return { writeUnits: writeUnits / changes.length, readUnits: readUnits / changes.length };
  };
  const one = await costOfCounting([await change(newLine(base + 1_000))]);
  expect(one.writeUnits).toBeLessThanOrEqual(22);
  const changed = await costOfCounting([await change({ type: "invoice", id: base + 5, state: "overdue" })]);
  expect(changed.writeUnits).toBeLessThanOrEqual(14);
  const many: TableChange[] = [];
  for (let at = 0; at < 90; at += 1) many.push(await change(newLine(base + 2_000 + at)));
  const inBatch = await costOfCounting(many);
  expect(inBatch.writeUnits).toBeLessThanOrEqual(11);
  const states: TableChange[] = [];
  for (let at = 0; at < 90; at += 1)
    states.push(await change({ type: "invoice", id: base + 2_000 + at, state: "paid" }));
  const changedInBatch = await costOfCounting(states);
  expect(changedInBatch.writeUnits).toBeLessThanOrEqual(3);
  const sheets: TableChange[] = [];
  for (let at = 0; at < 90; at += 1) sheets.push(await change(timesheetLine(base + at, 77, { date: day(at) })));
  const sheetsInBatch = await costOfCounting(sheets);
  expect(sheetsInBatch.writeUnits).toBeLessThanOrEqual(2.5);
  if (process.env.SHOW_FIGURES) console.info({ one, changed, inBatch, changedInBatch, sheetsInBatch });
  for (const { readUnits } of [changed, inBatch, changedInBatch, sheetsInBatch])
    expect(readUnits).toBeLessThanOrEqual(1.1);
  await expectExact();
}, 60_000);
