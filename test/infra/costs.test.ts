import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../infra/support/root.ts";
import { costsPage } from "../../infra/tools/docs/doc-pages.ts";
import { fixedRows } from "../bench/costs/month-rows.ts";
import { stackOf } from "./stack.ts";

const [dev, prod] = ["dev", "prod"].map((stage) => fixedRows(stackOf(stage).template));
const costs = readFileSync(join(root, costsPage), "utf8");

test("the page of costs has what an idle stage pays for its template", () => {
  for (const [name, dollars] of Object.entries(prod ?? {})) {
    const row = `| ${name} | ${(dev?.[name] ?? Number.NaN).toFixed(2)} | ${dollars.toFixed(2)} |`;
    expect(costs, "npm run docs -- --costs writes it").toContain(row);
  }
});

test("an idle dev costs less than 3 dollars a month, as nobody hears its alarms: it has none", () => {
  const total = Object.values(dev ?? {}).reduce((sum, each) => sum + each, 0);
  expect(total).toBeGreaterThan(1);
  expect(total).toBeLessThan(3);
  expect(dev).toMatchObject({ alarms: 0, dashboards: 0, "counts of what is polled": 0 });
  const readme = readFileSync(join(root, "infra/README.md"), "utf8");
  expect(readme).toContain("costs [less than 3 dollars a month](COSTS.md) while nobody uses it");
});

describe("alarms", () => {
  const { all, template } = stackOf("prod");

  test("cost what AWS bills: each metric that one reads, and the summaries", () => {
    const read = all("AWS::CloudWatch::Alarm").flatMap(({ properties: { Metrics, MetricName } }) =>
      MetricName === undefined
        ? Metrics.filter((each: { readonly MetricStat?: object }) => each.MetricStat)
        : [MetricName],
    );
    expect(read.length).toBeGreaterThan(all("AWS::CloudWatch::Alarm").length);
    const summaries = all("AWS::CloudWatch::CompositeAlarm").length;
    expect(fixedRows(template).alarms).toBeCloseTo(0.1 * read.length + 0.5 * summaries, 6);
  });
});
