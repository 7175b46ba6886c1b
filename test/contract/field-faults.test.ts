import * as v from "valibot";
import { expect, test } from "vitest";
import { fieldFaults, forbiddenKeys, pointerTo } from "../../shared/contract/refusals.ts";

test.each([
  [v.boolean(), 1, "must be boolean"],
  [v.union([v.string(), v.number()]), true, "must be string or number"],
  [v.number(), "1", "must be a number"],
  [v.picklist(["paid", "overdue"]), "lost", "must be one of paid, overdue"],
] as const)("the type that is asked for is said in words", (schema, value, detail) => {
  expect(fieldFaults(v.safeParse(schema, value).issues ?? [])).toMatchObject([{ detail }]);
});

test("D33: forbidden names are found at any depth, by their places, also in lists and in one another", () => {
  const pointersIn = (json: string) => forbiddenKeys(JSON.parse(json)).map(({ path }) => pointerTo(path));
  expect(pointersIn('{"a":[{"b/c":{"constructor":1}},{"__proto__":{"__proto__":2}}],"constructor":[]}')).toEqual([
    "/constructor",
    "/a/1/__proto__",
    "/a/0/b~1c/constructor",
    "/a/1/__proto__/__proto__",
  ]);
  for (const json of ["1", "null", '"__proto__"', '{"valueOf":{"toString":"constructor"}}']) {
    expect(pointersIn(json)).toEqual([]);
  }
  const many = Array.from({ length: 50 }, () => '{"__proto__":1}');
  expect(pointersIn(`[${many.join(",")}]`)).toHaveLength(20);
  const depth = 100_000;
  expect(forbiddenKeys(JSON.parse(`${"[".repeat(depth)}{"__proto__":1}${"]".repeat(depth)}`))[0]?.path).toHaveLength(
    depth + 1,
  );
});
