import { expect, test } from "vitest";
import { importParts, partFor, userParts } from "../../shared/table/counters.ts";

test.each([
  userParts,
  importParts,
])("a transaction writes its own part of %j, and after a conflict any of them", (...parts) => {
  const taken = (conflicts: number) => new Set(Array.from({ length: 300 }, () => partFor(parts, 2, conflicts)));
  expect(taken(0)).toEqual(new Set([parts[2]]));
  expect([...taken(1)].sort()).toEqual(parts);
});
