import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../infra/local/stack/synthesis.ts";
import { costsPage } from "../../infra/tools/docs/doc-pages.ts";
import { fixedRows } from "../bench/costs/month-rows.ts";
import { stackOf } from "./stack.ts";

const page = readFileSync(join(root, costsPage), "utf8");

test.each(
  Object.entries(fixedRows(stackOf("prod").template)),
)("the page of costs has what prod pays for %s, for however few users", (name, dollars) => {
  const figure = dollars.toFixed(2);
  expect(page, "npm run docs -- --costs writes it").toContain(`| ${name} | ${figure} | ${figure} | ${figure} |`);
});

test("a stage that notifies nobody pays for fewer alarms, and is not the one on the page", () => {
  expect(fixedRows(stackOf("dev").template).alarms).toBeLessThan(Number(fixedRows(stackOf("prod").template).alarms));
});
