import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contractPages } from "../../../infra/tools/docs/doc-pages.ts";
import { fillTables } from "../../../infra/tools/docs/marked-tables.ts";
import { pinRules } from "../../../shared/domain/guessing/rules.ts";

const root = join(import.meta.dirname, "../../..");

test.each(Object.entries(contractPages()))("the tables of %s say what the code says", (page, tables) => {
  const text = readFileSync(join(root, page), "utf8");
  expect(text, `tables of ${page} are stale; npm run docs writes them`).toBe(fillTables(text, tables));
});

/** The contract imports no rules, so the texts of its document are read like pages. */
const pagesOnPins = [
  "shared/contract/README.md",
  "shared/contract/texts/{accounts,refusals}.ts",
  "shared/docs/guides/*.md",
  "infra/RUNBOOK.md",
  "infra/local/README.md",
];
const pinLife =
  /\b(?:pins?|it|one) (?:[^.|]{0,40} )?(?:valid for|counts for|older than|of the last|after its|works:) (\w+) minutes/gi;

test("pages and texts say how long a pin lives as pinRules.lifeMinutes in shared/domain/guessing/rules.ts does", () => {
  const said = globSync(pagesOnPins, { cwd: root }).flatMap((page) => {
    const text = readFileSync(join(root, page), "utf8").replaceAll(/\s+/g, " ");
    return [...text.matchAll(pinLife)].map(([words, minutes]) => ({ page, words, minutes }));
  });
  const isRight = ({ minutes = "" }) => (minutes === "twelve" ? 12 : Number(minutes)) === pinRules.lifeMinutes;
  expect(said.filter((each) => !isRight(each))).toEqual([]);
  expect(said.length).toBeGreaterThan(0);
});
