import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contractPages, unmeasuredOperations } from "../../../infra/tools/docs/doc-pages.ts";
import { staleTables } from "../../../infra/tools/docs/marked-tables.ts";

const root = join(import.meta.dirname, "../../..");

test.each(Object.entries(contractPages()))("the tables of %s say what the code says", (page, tables) => {
  const stale = staleTables(readFileSync(join(root, page), "utf8"), tables);
  expect(stale, `stale tables of ${page}; npm run docs writes them`).toEqual([]);
});

test("infra/COSTS.md has a row for every operation and none for another", () => {
  expect(unmeasuredOperations(root), "npm run docs measures them and writes infra/COSTS.md").toEqual([]);
});
