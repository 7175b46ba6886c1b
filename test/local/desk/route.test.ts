import { expect, test } from "vitest";
import { routeOf } from "../../../infra/local/desk/page/route.ts";

test.each([
  ["", "people", undefined],
  ["#/requests", "requests", undefined],
  ["#/requests/a%20b", "requests", "a b"],
  ["#/requests/%", "requests", "%"],
  ["#/constructor", "people", undefined],
  ["#/elsewhere/1", "people", "1"],
])("the address %j is of %s with %s open", (hash, name, id) => {
  expect(routeOf(hash, { people: {}, requests: {} })).toEqual([name, id]);
});
