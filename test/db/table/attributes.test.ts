import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { fromAttributes, toAttributes } from "../../../shared/db/table/attributes.ts";
import { bytesInTable } from "../../../shared/db/table/item-size.ts";
import { tableClient } from "../../../shared/db/table/table.ts";
import { settings } from "../../../shared/settings.ts";
import { readItem } from "../../support/records/writes.ts";
import { useService } from "../../support/service/service.ts";

const key = { pk: "ATTRIBUTES", sk: "ATTRIBUTES" };
const values = {
  numbers: [0, -1, 0.1, 1e-7, 5e-100, -2.5e15, Number.MAX_SAFE_INTEGER, 12_345_678_901_234_567_890n],
  texts: ["", "é", "__proto__"],
  others: [true, false, null, new Uint8Array([0, 255]), [], {}, { " ": { "a.b": [[]] } }],
  sets: { texts: new Set(["a", "b"]), numbers: new Set([1, 2.5]), bytes: new Set([new Uint8Array([1])]) },
};

useService();

test("all that DynamoDB stores comes back as it was, sets of a newer release among it", async () => {
  await tableClient().send(
    new PutItemCommand({ TableName: settings.tableName(), Item: toAttributes({ ...key, ...values }) }),
  );
  expect(await readItem(key)).toEqual({ ...key, ...values });
  expect(fromAttributes(toAttributes(values))).toEqual(values);
  const named = JSON.parse('{"__proto__":1,"constructor":2}');
  expect(Object.entries(fromAttributes(toAttributes(named)))).toEqual(Object.entries(named));
});

test("undefined is left out at any depth, and what is no number of DynamoDB is refused", () => {
  expect(toAttributes({ a: undefined, b: [1, undefined, { c: undefined }], d: -0 })).toEqual({
    b: { L: [{ N: "1" }, { M: {} }] },
    d: { N: "0" },
  });
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
    expect(() => toAttributes({ value })).toThrow(RangeError);
  }
});

test("the size of values counts the bytes of names and texts, half of the digits, and what holds them", () => {
  const [name, text, number, list] = ["a", "é", 12.5, [true, null]].map(bytesInTable);
  expect([name, text, number, list]).toEqual([1, 2, 3, 7]);
  expect(bytesInTable({ ab: "é", b: 12.5 })).toBe(3 + (2 + 2 + 1) + (1 + 3 + 1));
});

describe("what would be stored as an empty object is refused", () => {
  test.each([
    new Date(),
    new Map([[1, 2]]),
    /a/,
    new (class Place {})(),
    new Set(),
    new Set([1, "a"]),
    new Set([{}]),
  ])("%o", (value) => {
    expect(() => toAttributes({ value })).toThrow(TypeError);
  });

  test("but not an object without a prototype", () => {
    expect(toAttributes({ value: Object.assign(Object.create(null), { a: 1 }) })).toEqual({
      value: { M: { a: { N: "1" } } },
    });
  });
});
