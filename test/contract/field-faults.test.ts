import * as v from "valibot";
import { expect, test } from "vitest";
import { fieldFaults } from "../../shared/contract/field-faults.ts";

test.each([
  [v.boolean(), 1, "must be boolean"],
  [v.union([v.string(), v.number()]), true, "must be string or number"],
  [v.number(), "1", "must be a number"],
  [v.picklist(["paid", "overdue"]), "lost", "must be one of paid, overdue"],
] as const)("the type that is asked for is said in words", (schema, value, detail) => {
  expect(fieldFaults(v.safeParse(schema, value).issues ?? [])).toMatchObject([{ detail }]);
});
