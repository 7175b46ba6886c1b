import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { invoice } from "../../shared/contract/finance.ts";
import { operations } from "../../shared/contract/operations.ts";
import { text } from "../../shared/contract/values.ts";
import { allowListOf } from "../../shared/http/answer.ts";
import { invoiceLine } from "../support/records/records.ts";

const person = v.object({
  name: text(10),
  age: v.nullable(v.number()),
  state: v.picklist(["here", "gone"]),
  kind: v.literal("person"),
  visits: v.array(v.looseObject({ id: v.number(), place: v.object({ name: v.string() }) })),
});
const ada = { name: "Ada", age: null, state: "here", kind: "person", visits: [{ id: 1, place: { name: "Turin" } }] };

describe("an allow-list", () => {
  test("takes the named fields alone, at every depth, in the order of the schema", () => {
    const visits = [{ id: 1, place: { name: "Turin", secret: "x" } }];
    const taken = allowListOf(person)({ password: "x", visits, kind: "person", state: "here", age: null, name: "Ada" });
    expect(JSON.stringify(taken)).toBe(JSON.stringify(ada));
  });

  test("takes what an open object holds beside its named fields", () => {
    const visits = [{ id: 1, place: { name: "Turin" }, weather: "rain" }];
    expect(allowListOf(person)({ ...ada, visits })).toEqual({ ...ada, visits });
  });

  test("D23: looks at no values, so that a record is shown as it is stored, also one that no line may bring", () => {
    const { type: _, company_id: __, ...line } = invoiceLine(1, 1);
    const stored = { ...line, due_date: "0026-11-17", currency: "ZZZ", total: "-0.00", company_name: "A\tB " };
    expect(allowListOf(invoice)(stored)).toEqual(stored);
  });

  test("leaves the value as it is", () => {
    const given = { ...ada, password: "x" };
    allowListOf(person)(given);
    expect(given).toEqual({ ...ada, password: "x" });
  });

  test.each([
    ["name of the answer", { ...ada, name: undefined }],
    ["name of the answer", { ...ada, name: { password: "x" } }],
    ["age of the answer", { ...ada, age: "7" }],
    ["state of the answer", { ...ada, state: "lost" }],
    ["kind of the answer", { ...ada, kind: "machine" }],
    ["visits of the answer", { ...ada, visits: {} }],
    ["an item of visits of the answer", { ...ada, visits: [7] }],
    ["name of place of an item of visits of the answer", { ...ada, visits: [{ id: 1, place: {} }] }],
    ["the answer", null],
  ])("refuses another shape and says where: %s", (place, value) => {
    expect(() => allowListOf(person)(value)).toThrow(`The contract knows no such value for ${place}`);
  });

  test("cannot be made of a schema whose fields it does not know", () => {
    expect(() => allowListOf(v.union([person, v.string()]))).toThrow(
      "No allow-list can be made of the answer, a union",
    );
  });

  test.each(operations)("can be made of the answer of $name", ({ answer }) => {
    expect(() => allowListOf(answer)).not.toThrow();
  });
});

test("an optional field belongs into no answer", () => {
  const schema = v.object({ number: v.optional(text(10)) });
  expect(() => allowListOf(schema)).toThrow("No allow-list can be made of number of the answer, a optional");
});
