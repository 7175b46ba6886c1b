import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findInvoices } from "../../../functions/finance/find-invoices.ts";
import { handler, markOverdue } from "../../../functions/workers/mark-overdue.ts";
import { queryPage, recordKey } from "../../../shared/table/table.ts";
import { useHeldItems } from "../../support/faults/held-items.ts";
import { useModelClock } from "../../support/faults/model-clock.ts";
import { cancelled, useNetwork } from "../../support/faults/network.ts";
import { testContext } from "../../support/records/contexts.ts";
import { contentOf } from "../../support/records/items.ts";
import { invoiceLine } from "../../support/records/records.ts";
import { readRecord, store } from "../../support/records/store.ts";
import { readItem, write } from "../../support/records/writes.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";

const today = "2126-05-10";

const many = usualOrFull(101, 450);
useService();
const proxy = useNetwork();
const held = useHeldItems();
const clock = useModelClock();

beforeEach(() => proxy.reset());
afterEach(() => {
  vi.useRealTimers();
  held.end();
});

function due(id: number, due_date: string, changes: object = {}) {
  return invoiceLine(id, 1, { due_date, ...changes });
}

async function stateOf(id: number): Promise<unknown> {
  return (await readRecord("INVOICE", id))?.state;
}

async function countDue(): Promise<number> {
  const { items } = await queryPage({
    IndexName: "by-mark",
    KeyConditionExpression: "mark_key = :due AND mark_order < :today",
    ExpressionAttributeValues: { ":due": "DUE", ":today": today },
  });
  return items.length;
}

test("D20: a pending invoice due before today becomes overdue; today's, later ones and paid ones stay", async () => {
  await store([
    due(1, "2126-05-09"),
    due(2, "2120-01-01"),
    due(3, today),
    due(4, "2126-05-11"),
    due(5, "2126-05-01", { state: "paid" }),
    due(6, "2126-05-01", { state: "overdue" }),
  ]);
  expect(await markOverdue(today, testContext())).toBe(2);
  const states = await Promise.all([1, 2, 3, 4, 5, 6].map(stateOf));
  expect(states).toEqual(["overdue", "overdue", "pending", "pending", "paid", "overdue"]);
  expect(await markOverdue(today, testContext())).toBe(0);
});

test("D20: what became overdue stands in the lists of its new state, and in no index of those still due", async () => {
  await store([invoiceLine(10, 20, { due_date: "2126-05-01" })]);
  const before = await readItem(recordKey("INVOICE", 10));
  await markOverdue(today, testContext());
  const page = { limit: 20, beforeId: undefined, skip: 0 };
  const months = { fromDate: "2026-05-01", toDate: "2026-05-31" };
  for (const range of [{}, months]) {
    expect((await findInvoices({ scope: 20, states: ["pending"], ...range }, page)).items).toEqual([]);
    const { items } = await findInvoices({ scope: 20, states: ["overdue"], ...range }, page);
    expect(items).toMatchObject([{ id: 10, state: "overdue" }]);
  }
  expect(await countDue()).toBe(0);
  const after = await readItem(recordKey("INVOICE", 10));
  expect(after).not.toHaveProperty("mark_key");
  expect(after?.revision).toBe(Number(before?.revision) + 1);
});

test("D25: becoming overdue is notified, though the import before was silent, and nobody counts as its author", async () => {
  await store([due(11, "2126-05-01")]);
  expect(await readItem(recordKey("INVOICE", 11))).toMatchObject({ silent: true });
  await markOverdue(today, testContext());
  const marked = await readItem(recordKey("INVOICE", 11));
  expect(marked).not.toHaveProperty("silent");
  expect(marked).not.toHaveProperty("changed_by");
});

test("D20: an item is the same as if its state had been imported", async () => {
  await store([due(12, "2126-05-01"), due(13, "2126-05-01", { state: "overdue" })]);
  await markOverdue(today, testContext());
  const [marked, imported] = await Promise.all([12, 13].map((id) => readItem(recordKey("INVOICE", id))));
  expect(Object.keys(contentOf(marked ?? {})).toSorted()).toEqual(
    Object.keys(contentOf(imported ?? {}))
      .filter((name) => name !== "silent")
      .toSorted(),
  );
});

test(`D20: ${many} invoices are marked over many pages; two runs at once mark each of them once`, async () => {
  await store(
    Array.from({ length: many }, (_, at) => due(1_000 + at, `2126-04-${String((at % 30) + 1).padStart(2, "0")}`)),
  );
  const [one, other] = await Promise.all([markOverdue(today, testContext()), markOverdue(today, testContext())]);
  expect(one + other).toBe(many);
  expect(await countDue()).toBe(0);
});

test("D20: what a run could not read is left to the next one, and keeps none from the others", async () => {
  await store(Array.from({ length: 101 }, (_, at) => due(2_000 + at, "2126-04-01")));
  const gone = { __type: "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", message: "gone" };
  proxy.fail("BatchGetItem", { status: 400, body: gone }, 1);
  await expect(markOverdue(today, testContext())).rejects.toThrow();
  proxy.reset();
  expect(await countDue()).toBe(100);
  expect(await markOverdue(today, testContext())).toBe(100);
});

test("D20: as many invoices are marked in a transaction as fit: 98 of one company and month, 33 of many companies", async () => {
  const mark = async (count: number, lineOf: (at: number) => object) => {
    await store(Array.from({ length: count }, (_, at) => lineOf(at)));
    proxy.reset();
    expect(await markOverdue(today, testContext())).toBe(count);
    return proxy.calls.get("TransactWriteItems");
  };
  expect(await mark(98, (at) => due(6_000 + at, "2126-04-01"))).toBe(1);
  expect(await mark(33, (at) => invoiceLine(7_000 + at, 100 + at, { due_date: "2126-04-01" }))).toBe(1);
});

test("D20: one invoice that others keep changing holds back none of its batch, and the run ends as busy", async () => {
  const ids = Array.from({ length: 50 }, (_, at) => 8_000 + at);
  await store(ids.map((id) => due(id, "2126-04-01")));
  const busyKey = recordKey("INVOICE", 8_020);
  held.begin({
    leastMs: 0,
    mostMs: 0,
    rewrite: (write) =>
      write.Put?.Item?.pk === busyKey.pk
        ? {
            Put: { ...write.Put, ConditionExpression: `${write.Put.ConditionExpression} AND attribute_not_exists(pk)` },
          }
        : write,
  });
  await expect(clock.run(() => markOverdue(today, testContext()))).rejects.toMatchObject({ code: "busy" });
  held.end();
  const states = await Promise.all(ids.map(stateOf));
  expect(states).toEqual(ids.map((id) => (id === 8_020 ? "pending" : "overdue")));
  expect(await markOverdue(today, testContext())).toBe(1);
});

test("D20: an invoice that is changed at the same moment is looked at again", async () => {
  await store([due(20, "2126-05-01")]);
  // The invoice, and the counters of its company and month.
  proxy.fail("TransactWriteItems", cancelled("ConditionalCheckFailed", 3), 3);
  expect(await markOverdue(today, testContext())).toBe(1);
  expect(await stateOf(20)).toBe("overdue");
});

test("D20: payments, moved due dates and removals at the same time all count", async () => {
  const ids = Array.from({ length: 60 }, (_, at) => 3_000 + at);
  await store(ids.map((id) => due(id, "2126-05-01")));
  const changes = [{ state: "paid" }, { due_date: "2126-06-01", state: "pending" }, { deleted: true }];
  const change = (id: number) => write({ type: "invoice", id, ...changes[id % 3] });
  await Promise.all([markOverdue(today, testContext()), ...ids.map(change)]);
  const states = await Promise.all(ids.map(stateOf));
  expect(states).toEqual(ids.map((id) => ["paid", "pending", undefined][id % 3]));
  expect(await countDue()).toBe(0);
});

test("D20: an invoice whose due date is moved to today, while a run is about to read it, is not overdue", async () => {
  await store([due(40, "2126-05-01")]);
  const goOn = proxy.hold("BatchGetItem");
  const marking = markOverdue(today, testContext());
  await proxy.held("BatchGetItem");
  await store([due(40, today)]);
  goOn();
  expect(await marking).toBe(0);
  expect(await stateOf(40)).toBe("pending");
});

test("D20: the handler goes by the business's midnight, not by UTC's, and waits until every clock shows the new day", async () => {
  await store([due(30, "2126-05-10")]);
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2126-05-10T22:59:49.999Z") });
  await handler();
  expect(await stateOf(30)).toBe("pending");
  vi.setSystemTime(new Date("2126-05-10T23:00:09.800Z"));
  const began = performance.now();
  await handler();
  expect(performance.now() - began).toBeGreaterThan(190);
  expect(await stateOf(30)).toBe("overdue");
});
