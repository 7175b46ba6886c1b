import { describe, expect, test } from "vitest";
import { readStreamRecord } from "../../shared/table/entity.ts";
import { readBatch } from "../../shared/table/reads.ts";
import type { Item } from "../../shared/table/table.ts";
import { putBatch, scanPage } from "../../shared/table/table.ts";
import { bytesInTable, putIf, transact, tryUpdate, updateOf } from "../../shared/table/writes.ts";
import { readItem } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";
import { streamRecord } from "../support/workers/workers.ts";

const key = { pk: "STORED", sk: "STORED" };
const numbers = [0, -1, 0.1, 1e-7, 5e-100, -2.5e15, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
const values: Item = {
  numbers: [...numbers, 12_345_678_901_234_567_890n, -9_007_199_254_740_993n],
  texts: ["", "é", "__proto__", "constructor"],
  others: [true, false, null, new Uint8Array([0, 255]), [], {}, { " ": { "a.b": [[]] }, toString: 1 }],
  sets: { texts: new Set(["a", "b"]), numbers: new Set([1, 2.5]), bytes: new Set([new Uint8Array([1])]) },
};

useService();

test("all that DynamoDB stores comes back as it was, sets of a newer release among it", async () => {
  const item = { ...key, ...values };
  await putIf({ Item: item });
  expect(await readItem(key)).toEqual(item);
  const changed = await tryUpdate(key, { set: { more: values } });
  expect(changed.item).toMatchObject({ ...values, more: values });
  const refused = await tryUpdate(key, { where: { more: 1 }, set: { more: 2 } });
  expect(refused).toEqual({ isWritten: false, item: changed.item });
  expect(await readBatch([key])).toEqual([changed.item]);
  expect((await scanPage({})).items).toContainEqual(changed.item);
});

test("the stream's images are read as the table's items are", () => {
  const item = { ...key, ...values };
  const record = streamRecord(key, { before: item, after: item });
  expect(record.dynamodb?.NewImage?.numbers?.L?.at(-1)).toEqual({ N: "-9007199254740993" });
  expect(readStreamRecord(record)).toMatchObject({ before: item, after: item });
});

/** Each way in which items are written. */
const doors: Readonly<Record<string, (item: Item & typeof key) => Promise<unknown>>> = {
  "a put": (Item) => putIf({ Item }),
  "an update": ({ pk, sk, ...set }) => tryUpdate({ pk, sk }, { set }),
  "a transaction": (Item) => transact([{ Put: { Item } }]),
  "a batch": (item) => putBatch([item]),
};

describe.each(Object.entries(doors))("%s", (_, write) => {
  test("leaves out what is undefined, at any depth, and stores -0 as 0", async () => {
    await write({ ...key, value: { a: undefined, b: [1, undefined, { c: undefined }], d: -0 } });
    const stored = await readItem(key);
    expect(stored?.value).toStrictEqual({ b: [1, {}], d: 0 });
  });

  test.each([
    "__proto__",
    "constructor",
    "prototype",
  ])("stores no field that is called %s, at any depth", async (name) => {
    const before = await readItem(key);
    for (const value of ["x", null, { name: "String" }, [{ [name]: 1 }]]) {
      const field = Object.fromEntries([[name, value]]);
      await expect(write({ ...key, value: field })).rejects.toThrow(`/${name}`);
      await expect(write({ ...key, value: [{ deep: [field] }] })).rejects.toThrow(`/0/deep/0/${name}`);
    }
    await expect(write({ ...key, value: new Map([[name, 1]]) })).rejects.toThrow(`/${name}`);
    expect(await readItem(key)).toEqual(before);
  });

  test.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    -(2 ** 53),
    new Date(),
    /a/,
    new (class Place {})(),
    new Set(),
    new Set([{}]),
    new Set([1, "a"]),
  ])("stores nothing else than it is given: %o", async (value) => {
    const before = await readItem(key);
    await expect(write({ ...key, value: [value] })).rejects.toThrow();
    expect(await readItem(key)).toEqual(before);
  });
});

test.each([
  "__proto__",
  "constructor",
  "prototype",
])("no update sets or adds to an attribute called %s", async (name) => {
  const before = await readItem(key);
  const of = (value: number) => Object.fromEntries([[name, value]]);
  for (const changes of [{ set: of(1) }, { setOnce: of(1) }, { add: of(1) }, { set: { [`record.${name}`]: 1 } }]) {
    await expect(tryUpdate(key, changes)).rejects.toThrow(`No item has an attribute called ${name}`);
    const inTransaction = transact([{ Update: updateOf(key, changes) }]);
    await expect(inTransaction).rejects.toThrow(`No item has an attribute called ${name}`);
  }
  expect(await readItem(key)).toEqual(before);
});

test("an object without a prototype is one like any other", async () => {
  await putIf({ Item: { ...key, value: Object.assign(Object.create(null), { a: 1 }) } });
  expect(await readItem(key)).toEqual({ ...key, value: { a: 1 } });
});

test("the size of values counts the bytes of names and texts, half of the digits, and what holds them", () => {
  const [name, text, number, list] = ["a", "é", 12.5, [true, null]].map(bytesInTable);
  expect([name, text, number, list]).toEqual([1, 2, 3, 7]);
  expect(bytesInTable({ ab: "é", b: 12.5 })).toBe(3 + (2 + 2 + 1) + (1 + 3 + 1));
});
