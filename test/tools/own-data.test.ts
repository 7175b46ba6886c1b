import { expect, test } from "vitest";
import { ownData } from "../../infra/tools/export/own-data.ts";
import { entities } from "../../shared/entities.ts";

test("it is decided of every kind of item whether it is in a user's own data, and why not", () => {
  const names = (kinds: Iterable<{ readonly name: string }>) => [...kinds].map(({ name }) => name).toSorted();
  const undecided = entities.filter((kind) => !ownData.has(kind));
  expect(undecided.map(({ name }) => `decide of "${name}" in ownData: shown, or omitted and why`)).toEqual([]);
  expect(names(ownData.keys())).toEqual(names(entities));
  for (const [{ name }, decision] of ownData) {
    if ("leftOut" in decision) expect(decision.leftOut, name).toMatch(/^\w.{9,}/);
  }
});
