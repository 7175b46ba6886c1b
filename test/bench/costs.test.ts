import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { operations } from "../../shared/contract/operations.ts";
import { kilobytesPerUser } from "./costs/assumptions.ts";
import { growingRows } from "./costs/month-rows.ts";
import { pricedRegions, priceList, pricesOf, requirePriced } from "./costs/prices.ts";

const page = readFileSync(join(import.meta.dirname, "../../infra/COSTS.md"), "utf8");

test.each(operations)("what $name costs stands in infra/COSTS.md, where npm run docs -- --costs writes it", ({
  name,
}) => {
  const row = page.split("\n").find((line) => line.startsWith(`| ${name} |`));
  const figures = row?.split("|").slice(2, -1).map(Number) ?? [];
  expect(figures, `infra/COSTS.md has no row of ${name}: npm run docs -- --costs writes it`).toHaveLength(9);
  const [, , milliseconds = 0, gateway, lambda, table, queue, logs, total] = figures;
  expect(milliseconds).toBeGreaterThan(0);
  const parts = [gateway, lambda, table, queue, logs].reduce<number>((sum, part) => sum + (part ?? Number.NaN), 0);
  expect(Math.abs(parts - (total ?? Number.NaN))).toBeLessThan(0.04);
});

test.each([
  "point-in-time recovery",
  "backups",
  "cancelled transactions",
  "reading lists for recount-lists",
  "data out",
  "access log",
  "traces",
  "events of other systems",
  "events that go out",
  "starts of functions",
  "reads of secrets",
  "encryption keys",
  "polling of empty queues",
  "check from outside",
])("the page of costs has a row of %s, for prod", (name) => {
  expect(page).toMatch(new RegExp(`^\\| ${name} \\|( \\d+\\.\\d\\d \\|){3}$`, "m"));
});

test("a gigabyte of table costs at most 2.50 dollars a month in copies and recovery, for a million users as well", () => {
  const { backups = 0, "point-in-time recovery": recovery = 0 } = growingRows(1_000_000, pricesOf("us-east-1"));
  const gigabytes = (1_000_000 * kilobytesPerUser) / 1_000_000;
  expect((backups + recovery) / gigabytes).toBeLessThanOrEqual(2.5);
});

test("the page of costs has a month for three numbers of users, with SMS in a row of its own", () => {
  expect(page).toContain("| | 100 users | 10,000 users | 1,000,000 users |");
  expect(page).toMatch(/^\| SMS \|( \d+\.\d\d \|){3}$/m);
});

test("the page has every price of every known region with its source; other regions are refused in a sentence", () => {
  for (const [name, { source, ...prices }] of Object.entries(priceList)) {
    const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const figures = pricedRegions.map((region) => String(Number(prices[region].toPrecision(6))));
    expect(page).toContain(`| ${[words, ...figures, source].join(" | ")} |`);
    expect(source, name).toMatch(/\d{4}|× 1\.2$|price for all regions$|not by region$/);
  }
  expect(requirePriced("eu-west-2")).toBe("eu-west-2");
  expect(() => requirePriced("eu-west-1")).toThrow(
    "--region takes us-east-1 or eu-west-2, whose prices are known, not eu-west-1",
  );
});

test("the page of costs says what 1,000 new timesheets cost a company with 20 operators: a notification of each for each", () => {
  const [, rest = ""] = page.split("1,000 new timesheets of a company with 20 operators");
  const rows = rest.split("\n").filter((line) => line.startsWith("| deliver-notifications |"));
  const written = rows.map((row) => Number(row.split("|")[3]));
  // Seven write units for the event, the notification with its key, and the counts.
  expect(written).toEqual([0, 20 * 1_000 * 7]);
  expect(rest).toMatch(/\| \*\*total\*\* \| \| \| \*\*0\.\d\d\*\* \|/);
});
