import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../infra/local/stack/synthesis.ts";
import { figuresPage, figureTables, isConversion, sourceFigures } from "../../infra/tools/docs/figures/figures-page.ts";
import { fillTables } from "../../infra/tools/docs/marked-tables.ts";
import { stackOf } from "./stack.ts";
import { withStacksBeside } from "./stacks-beside.ts";

const figures = sourceFigures(root);

test("the page of figures says what the full stage deploys, and what the sources wait for", () => {
  const page = readFileSync(join(root, figuresPage), "utf8");
  const tables = figureTables(root, withStacksBeside({ name: "full", template: stackOf("full").template }));
  expect(page, `${figuresPage} is stale; run npm run docs`).toBe(fillTables(page, tables));
  const written = [...page.matchAll(/<!-- docs:(.+) -->/g)].map(([, name]) => name);
  expect(written, "nobody writes the others").toEqual(Object.keys(tables));
});

test("every queue, every mapping, and every alarm that a single event does not set off has a reason for its figures", () => {
  const { template } = withStacksBeside({ name: "full", template: stackOf("full").template });
  const types = ["AWS::CloudWatch::Alarm", "AWS::SQS::Queue", "AWS::Lambda::EventSourceMapping"];
  const explained = Object.entries(template.Resources).filter(([, { Type }]) => types.includes(Type));
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
