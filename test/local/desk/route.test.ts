import { expect, test } from "vitest";
import { routeOf } from "../../../infra/local/desk/page/route.ts";

test.each([
  ["", "home", undefined],
  ["#/requests", "requests", undefined],
  ["#/requests/a%20b", "requests", "a b"],
  ["#/requests/%", "requests", "%"],
  ["#/constructor", "home", undefined],
  ["#/elsewhere/1", "home", "1"],
])("the address %j is of %s with %s open", (hash, name, id) => {
  expect(routeOf(hash, { home: {}, requests: {} })).toEqual([name, id]);
});
