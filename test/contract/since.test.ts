import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { since } from "../../shared/contract/since.ts";
import { text } from "../../shared/contract/values.ts";
import { allowListOf } from "../../shared/http/allow-list.ts";
import { jsonSchemaOf } from "../../shared/openapi/schemas.ts";

const order = v.object({
  number: text(10),
  purchase_order: since("1.1", v.nullable(text(64)), null),
  cost_centre: since("1.2", text(20), "none"),
});

describe("D38: a field that is new in the contract", () => {
  test("shows its default in answers where the record is older, and its value where it has one", () => {
    const allow = allowListOf(order);
    expect(allow({ number: "7" })).toEqual({ number: "7", purchase_order: null, cost_centre: "none" });
    const known = { number: "7", purchase_order: "PO-1", cost_centre: "north" };
    expect(allow(known)).toEqual(known);
  });

  test.each([
    ["purchase_order", { number: "7", purchase_order: 7 }],
    ["cost_centre", { number: "7", cost_centre: null }],
  ])("is refused where its value is of another shape: %s", (field, value) => {
    expect(() => allowListOf(order)(value)).toThrow(`The contract knows no such value for ${field} of the answer`);
  });

  test("is held against its schema where a line has it, and may be left out", () => {
    const line = v.strictObject(v.partial(order).entries);
    expect(v.parse(line, { number: "7" })).toEqual({ number: "7" });
    expect(v.safeParse(line, { purchase_order: "x".repeat(65) }).success).toBe(false);
    expect(v.safeParse(line, { purchase_orders: "x" }).success).toBe(false);
  });

  test("is required in the document's answers, with its default and the release that brought it", () => {
    expect(jsonSchemaOf(order)).toMatchObject({
      required: ["number", "purchase_order", "cost_centre"],
      properties: {
        purchase_order: { default: null, description: "Since 1.1; null where the record is older." },
        cost_centre: { default: "none", description: 'Since 1.2; "none" where the record is older.' },
      },
    });
  });

  test("cannot have a default that its schema does not allow", () => {
    // @ts-expect-error null is no text
    since("1.1", text(20), null);
  });
});

test("an optional field without a default belongs into no answer", () => {
  const schema = v.object({ number: v.optional(text(10)) });
  expect(() => allowListOf(schema)).toThrow("No allow-list can be made of number of the answer, a optional");
});
