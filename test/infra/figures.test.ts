import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../infra/local/stack/synthesis.ts";
import { costsPage } from "../../infra/tools/docs/doc-pages.ts";
import { figuresPage, figureTables, isConversion, sourceFigures } from "../../infra/tools/docs/figures/figures-page.ts";
import { fillTables } from "../../infra/tools/docs/marked-tables.ts";
import { fixedRows } from "../bench/costs/month-rows.ts";
import { pricesOf } from "../bench/costs/prices.ts";
import { stackOf } from "./stack.ts";
import { withStacksBeside } from "./synthesize-stages.ts";

const figures = sourceFigures(root);
const full = withStacksBeside({ name: "full", template: stackOf("full").template });

test("the page of figures says what the full stage deploys, and what the sources wait for", () => {
  const page = readFileSync(join(root, figuresPage), "utf8");
  const tables = figureTables(root, full);
  expect(page, `${figuresPage} is stale; run npm run docs`).toBe(fillTables(page, tables));
  const written = [...page.matchAll(/<!-- docs:(.+) -->/g)].map(([, name]) => name);
  expect(written, "nobody writes the others").toEqual(Object.keys(tables));
});

test("every queue, every mapping, and every alarm that a single event does not set off has a reason for its figures", () => {
  const types = ["AWS::CloudWatch::Alarm", "AWS::SQS::Queue", "AWS::Lambda::EventSourceMapping"];
  const explained = Object.entries(full.template.Resources).filter(([, { Type }]) => types.includes(Type));
  const without = explained.filter(([, { Properties = {}, Metadata: { Reason = "" } = {} }]) => {
    const { Threshold, EvaluationPeriods, ComparisonOperator } = Properties;
    const isEvident = Threshold === 1 && EvaluationPeriods === 1 && ComparisonOperator !== "LessThanThreshold";
    return !isEvident && String(Reason).split(" ").length < 5;
  });
  expect(explained.length).toBeGreaterThan(70);
  expect(without.map(([id]) => id)).toEqual([]);
});

test("every figure of the sources has a comment above it that says why it is so", () => {
  const without = figures.filter(({ name, reason }) => reason === "" && !isConversion(name));
  expect(without.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

test("no number that a line of the sources names is absent", () => {
  const known = new Set(figures.map(({ file, name }) => `${file} ${name}`));
  const named = globSync("{functions,shared}/**/*.ts", { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/^(?:export )?const (\w+) = [\d_.]+(?: [*+] [\d_]+)*;/gm)].map(
      ([, name]) => `${file} ${name}`,
    ),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((each) => !known.has(each))).toEqual([]);
});

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
