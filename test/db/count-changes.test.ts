import { beforeEach, expect, test } from "vitest";
import { placeOfItem } from "../../shared/db/lists/listed-items.ts";
import { entriesOf, putEntry } from "../../shared/db/lists/number-search.ts";
import { countChanges } from "../../shared/db/lists/update-totals.ts";
import { findInvoices } from "../../shared/db/records/invoices.ts";
import { putIf } from "../../shared/db/table/conditional-writes.ts";
import { type RecordKind, recordKey } from "../../shared/db/table/item-keys.ts";
import type { StreamRecord } from "../../shared/db/table/stream-records.ts";
import { useFaultProxy } from "../support/faults/fault-proxy.ts";
import { expectExactTotals } from "../support/records/exact-totals.ts";
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

type Line = { readonly type: string; readonly id: number } & Record<string, unknown>;

/** Writes a line, and gives the change as the stream does. */
async function change(line: Line): Promise<StreamRecord> {
  const key = recordKey(line.type.toUpperCase() as RecordKind, line.id);
  const before = await readItem(key);
  await write(line);
  events += 1;
  return { eventId: `event-${events}`, key, before, after: await readItem(key) };
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
  await expectExactTotals();
  for (const each of changes.toReversed()) await countChanges([each], now);
  await expectExactTotals();
  await Promise.all([countChanges(changes, now), countChanges(changes.slice(0, 3), now), countChanges(changes, now)]);
  await expectExactTotals();
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
  await expectExactTotals();
});

test("a record that comes again with a lower revision, as after a clock that went back, is counted", async () => {
  const made = await change(invoiceLine(30, 1));
  const gone = await change({ type: "invoice", id: 30, deleted: true });
  await countChanges([made, gone], now);
  const item = { ...made.after, pk: gone.key.pk, sk: gone.key.sk, revision: 5 };
  await putIf({ Item: item });
  await countChanges([{ eventId: "again", key: gone.key, before: undefined, after: item }], now);
  await expectExactTotals();
  const paid = await change({ type: "invoice", id: 30, state: "paid" });
  await countChanges([paid], now);
  await countChanges([gone, made], now);
  await expectExactTotals();
});

test("a record that comes again with a lower revision is counted, in one batch with its removal that was counted before", async () => {
  const made = await change(invoiceLine(35, 1));
  const gone = await change({ type: "invoice", id: 35, deleted: true });
  await countChanges([made, gone], now);
  const item = { ...made.after, pk: gone.key.pk, sk: gone.key.sk, revision: 5 };
  await putIf({ Item: item });
  const again = { eventId: "again-35", key: gone.key, before: undefined, after: item };
  await countChanges([gone, again], now);
  await expectExactTotals();
});

test("search entries that a number had twice in a batch, and that another consumer stored, go in one transaction", async () => {
  const first = await change(invoiceLine(50, 1, { number: "TWICE-1" }));
  const again = await change({ type: "invoice", id: 50, state: "paid" });
  const other = await change({ type: "invoice", id: 50, number: "OTHER-2" });
  await countChanges([other], now);
  await Promise.all(entriesOf(placeOfItem("INVOICE", first.after)).map((entry) => putIf(putEntry(entry).Put)));
  await countChanges([first, again, other], now);
  await expectExactTotals();
});

test("changes of a table that was restored to before them count what the table has", async () => {
  const made = await change(invoiceLine(40, 1));
  await countChanges([made], now);
  const ahead = { ...made.after, pk: made.key.pk, sk: made.key.sk, revision: 2 ** 50 };
  const record = { ...(made.after?.record as object), state: "paid" };
  await countChanges([{ eventId: "ahead", key: made.key, before: made.after, after: { ...ahead, record } }], now);
  await expectExactTotals();
});

test("a batch of many companies writes and widens the totals of each once", async () => {
  const companies = Array.from({ length: 40 }, (_, at) => 4_000 + at);
  const changes: StreamRecord[] = [];
  for (const [at, company] of [...companies, ...companies].entries()) {
    changes.push(await change(timesheetLine(4_000 + at, company)));
  }
  proxy.reset();
  await countChanges(changes, now);
  const [transactions = 0, widened = 0] = ["TransactWriteItems", "UpdateItem"].map((each) => proxy.calls.get(each));
  const totals = await Promise.all(
    companies.map((company) => readItem({ pk: `TOTALS#TIMESHEETS#${company}`, sk: "ALL" })),
  );
  const written = totals.reduce((sum, item) => sum + Number(item?.revision), 0);
  // Where a transaction ends, the next one may go on with the same company.
  expect(transactions).toBe(2);
  expect(written).toBeLessThan(companies.length + transactions);
  expect(widened).toBeLessThan(companies.length + 2 * transactions);
  await expectExactTotals();
});
