import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kilobytesPerUser } from "./costs/assumptions.ts";
import { growingRows } from "./costs/month-rows.ts";

const page = readFileSync(join(import.meta.dirname, "../../infra/COSTS.md"), "utf8");

test.each([
  "point-in-time recovery",
  "backups",
  "cancelled transactions",
  "data out",
  "access log",
  "events of other systems",
  "events that go out",
  "starts of functions",
  "reads of secrets",
  "idle stage",
])("the page of costs has a row of %s, for prod", (name) => {
  expect(page).toMatch(new RegExp(`^\\| ${name} \\|( \\d+\\.\\d\\d \\|){3}$`, "m"));
});

test("a gigabyte of table costs at most 2.50 dollars a month in copies and recovery, for a million users as well", () => {
  const { backups = 0, "point-in-time recovery": recovery = 0 } = growingRows(1_000_000);
  const gigabytes = (1_000_000 * kilobytesPerUser) / 1_000_000;
  expect((backups + recovery) / gigabytes).toBeLessThanOrEqual(2.5);
});

test("the page of costs has the check from outside in the idle prod alone", () => {
  expect(page).toMatch(/^\| check from outside \| 0\.00 \| \d+\.\d\d \|$/m);
});

test("the page of costs has a month for three numbers of users, with SMS in a row of its own", () => {
  expect(page).toContain("| | 100 users | 10,000 users | 1,000,000 users |");
  expect(page).toMatch(/^\| SMS \|( \d+\.\d\d \|){3}$/m);
});
