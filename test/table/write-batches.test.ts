import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { counterKey, importParts } from "../../shared/table/counters.ts";
import { createWriteBatches } from "../../shared/table/write-batches.ts";
import { type TransactionWrite, transact } from "../../shared/table/writes.ts";
import { useHeldItems } from "../support/faults/held-items.ts";
import { useModelClock } from "../support/faults/model-clock.ts";
import { cancelled, useNetwork } from "../support/faults/network.ts";
import { jobLine } from "../support/records/records.ts";
import { readItem } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";
import { runImport, streamOf } from "../tools/import/run-import.ts";

useService();
const proxy = useNetwork();
const held = useHeldItems();
const clock = useModelClock();
beforeEach(() => proxy.reset());
afterEach(() => held.end());

const throttled = {
  status: 400,
  body: { __type: "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException", message: "too much" },
};
const key = (name: string) => ({ pk: `BATCH#${name}`, sk: "BATCH" });
const add = (name: string, attributes = {}): TransactionWrite => ({
  Put: { Item: { ...key(name), ...attributes }, ConditionExpression: "attribute_not_exists(pk)" },
});
const increase = (name: string): TransactionWrite => ({
  Update: { Key: key(name), UpdateExpression: "ADD number_of :one", ExpressionAttributeValues: { ":one": 1 } },
});
const names = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => String(from + at));

test("changes share transactions; one whose condition fails learns which write it was, and keeps none from the others", async () => {
  const commit = createWriteBatches(importParts);
  await commit([add("taken")]);
  proxy.reset();
  const outcomes = await Promise.all([
    ...names(0, 45).map((name) => commit([add(name), add(`${name}+`)])),
    commit([add("first of two"), add("taken")]),
  ]);
  expect(outcomes).toEqual([...names(0, 45).map(() => []), [1]]);
  expect(await readItem(key("first of two"))).toBeUndefined();
  expect(await readItem(key("44+"))).toBeDefined();
  expect(Object.fromEntries(proxy.calls)).toMatchObject({ TransactWriteItems: 2 });
});

test("changes of one item are made one after the other", async () => {
  const commit = createWriteBatches(importParts);
  await Promise.all(names(0, 30).map((name) => commit([add(`shared-${name}`), increase("sum")])));
  expect(await readItem(key("sum"))).toMatchObject({ number_of: 30 });
});

test("a change that the table cannot hold fails by itself, and of a lone put no transaction is made", async () => {
  const commit = createWriteBatches(importParts);
  const outcomes = await Promise.allSettled([
    ...names(100, 110).map((name) => commit([add(name)])),
    commit([add("large", { text: "x".repeat(500_000) })]),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([...names(100, 110).map(() => "fulfilled"), "rejected"]);
  expect(outcomes.at(-1)).toMatchObject({ reason: { name: "ValidationException" } });
  proxy.reset();
  expect(await commit([add("alone")])).toEqual([]);
  expect(Object.fromEntries(proxy.calls)).toEqual({ PutItem: 1 });
});

test("changes too large for one transaction are made in several", async () => {
  const commit = createWriteBatches(importParts);
  const text = "x".repeat(300_000);
  expect(await Promise.all(names(200, 220).map((name) => commit([add(name, { text })])))).toEqual(
    names(200, 220).map(() => []),
  );
});

test("changes beside one whose item others hold are written, and it alone is refused as busy", async () => {
  const commit = createWriteBatches(importParts);
  const outcomes = await clock.run(async () => {
    held.begin({ leastMs: 7_000, mostMs: 7_000 });
    const others = transact([increase("of others")]);
    held.begin({ leastMs: 0, mostMs: 0 });
    const ends = Promise.allSettled(["beside", "of others", "beside, too"].map((name) => commit([increase(name)])));
    await others;
    return ends;
  });
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(outcomes[1]).toMatchObject({ reason: { code: "busy" } });
});

test("a change that is committed alone uses a part of its batch's own", async () => {
  const counted = { list: "JOBS", companyId: 7, month: "ALL" } as const;
  await createWriteBatches(importParts)([add("counted")], [{ ...counted, figures: new Map([["published", 1]]) }]);
  expect(await readItem(counterKey(counted, importParts[0] ?? 0))).toMatchObject({ published: 1, writes: 1 });
});

test("halves of a batch add to a part of their counters by chance: they are under way at once", async () => {
  const counted = { list: "JOBS", companyId: 8, month: "ALL" } as const;
  const one = [{ ...counted, figures: new Map([["published", 1]]) }];
  const random = vi.spyOn(Math, "random").mockReturnValue(0.99);
  const commit = createWriteBatches(importParts);
  const tooLarge = add("cannot be stored", { text: "x".repeat(500_000) });
  await Promise.allSettled([commit([add("one half")], one), commit([tooLarge], one)]);
  random.mockRestore();
  const [first = 0] = importParts;
  expect(await readItem(counterKey(counted, first))).toBeUndefined();
  expect(await readItem(counterKey(counted, importParts.at(-1) ?? 0))).toMatchObject({ published: 1, writes: 1 });
});

test("an import whose transactions keep meeting those of others writes its records in smaller ones", async () => {
  proxy.fail("TransactWriteItems", cancelled("TransactionConflict", 6), 20);
  const { summary } = await clock.run(() => runImport(streamOf(...names(1, 6).map((id) => jobLine(Number(id), 1)))));
  expect(summary).toMatchObject({ created: 5, failed: 0 });
});

test("an import waits while the table takes no more", async () => {
  proxy.fail("BatchWriteItem", throttled, 6);
  proxy.fail("TransactWriteItems", throttled, 6);
  proxy.fail("PutItem", throttled, 20);
  const { summary } = await clock.run(() =>
    runImport(streamOf(...names(300, 305).map((id) => jobLine(Number(id), 1)))),
  );
  expect(summary).toMatchObject({ created: 5, failed: 0 });
});

test("D41: an import whose end the history takes no more of at the moment waits, too", async () => {
  proxy.fail("BatchWriteItem", throttled, 3, 1);
  const { summary } = await clock.run(() => runImport(streamOf(jobLine(400, 1))));
  expect(summary).toMatchObject({ created: 1, isComplete: true });
  expect(proxy.calls.get("BatchWriteItem")).toBe(5);
});
