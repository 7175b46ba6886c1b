import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { operations } from "../../shared/contract/operations.ts";

const page = readFileSync(join(import.meta.dirname, "../../infra/COSTS.md"), "utf8");

test.each(operations)("what $name costs stands in infra/COSTS.md, where npm run docs measures and writes it", ({
  name,
}) => {
  const row = page.split("\n").find((line) => line.startsWith(`| ${name} |`));
  const figures = row?.split("|").slice(2, -1).map(Number) ?? [];
  expect(figures, `infra/COSTS.md has no row of ${name}: npm run docs measures and writes it`).toHaveLength(9);
  const [, , milliseconds = 0, gateway, lambda, table, queue, logs, total] = figures;
  expect(milliseconds).toBeGreaterThan(0);
  const parts = [gateway, lambda, table, queue, logs].reduce<number>((sum, part) => sum + (part ?? Number.NaN), 0);
  expect(Math.abs(parts - (total ?? Number.NaN))).toBeLessThan(0.04);
});

test("the page of costs has a month for three numbers of users, with SMS in a row of its own", () => {
  expect(page).toContain("| | 100 users | 10,000 users | 1,000,000 users |");
  expect(page).toMatch(/^\| SMS \|( \d+\.\d\d \|){3}$/m);
});
