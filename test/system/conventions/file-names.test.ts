import { globSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../infra/local/stack/synthesis.ts";

/** Their files have the name of an operation, of the contract's entry that they describe, of what is provisioned, of a command. */
const namedAfter = [/^functions\//, /^shared\/contract\/texts\//, /^infra\/constructs\//, /^infra\/tools\/[^/]+$/];
/** The contract's entry of a noun and its stored items share the noun's name. */
const ofNouns = [/^shared\/contract\/[^/]+$/, /^shared\/db\//];

test("no two files have one name, except by a convention", () => {
  const files = globSync("{functions,infra,shared}/**/*.{ts,tsx}", { cwd: root });
  const own = files.filter((file) => !namedAfter.some((folder) => folder.test(file)));
  const byName = Map.groupBy(own, (file) => basename(file));
  const repeated = [...byName.values()].filter((group) => group.length > 1 && !isNoun(group));
  expect(own.length).toBeGreaterThan(300);
  expect(repeated).toEqual([]);
});

function isNoun(group: readonly string[]): boolean {
  return group.length === 2 && ofNouns.every((folder) => group.some((file) => folder.test(file)));
}
