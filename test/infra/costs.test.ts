import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../infra/local/stack/synthesis.ts";
import { costsPage } from "../../infra/tools/docs/doc-pages.ts";
import { fixedRows } from "../bench/costs/month-rows.ts";
import { pricesOf } from "../bench/costs/prices.ts";
import { stackOf } from "./stack.ts";

const prices = pricesOf("us-east-1");
const costs = readFileSync(join(root, costsPage), "utf8");

test.each(
  Object.entries(fixedRows(stackOf("prod").template, prices)),
)("the page of costs has what prod pays for %s, for however few users", (name, dollars) => {
  const figure = dollars.toFixed(2);
  expect(costs, "npm run docs -- --costs writes it").toContain(`| ${name} | ${figure} | ${figure} | ${figure} |`);
});

test("alarms cost what AWS bills: each metric that one reads, and the summaries", () => {
  const { all } = stackOf("prod");
  const read = all("AWS::CloudWatch::Alarm").flatMap(({ properties: { Metrics, MetricName } }) =>
    MetricName === undefined
      ? Metrics.filter((each: { readonly MetricStat?: object }) => each.MetricStat)
      : [MetricName],
  );
  expect(read.length).toBeGreaterThan(all("AWS::CloudWatch::Alarm").length);
  const summaries = all("AWS::CloudWatch::CompositeAlarm").length;
  expect(fixedRows(stackOf("prod").template, prices).alarms).toBeCloseTo(0.1 * read.length + 0.5 * summaries, 6);
});
