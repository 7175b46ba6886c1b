import { expect, test } from "vitest";
import { FirewallStack } from "../../infra/firewall-stack.ts";
import { OutsideCheckStack } from "../../infra/outside-check-stack.ts";
import type { Template, TemplateResource } from "../../infra/support/stack-template.ts";
import { tableOf } from "../../infra/tools/docs/marked-tables.ts";
import * as sources from "./source-figures.ts";
import { stackBeside, stackOf } from "./stack.ts";
import { fullStage } from "./stages/owned-stage.ts";

type Figures = ReadonlyMap<string, string>;

const beside = [OutsideCheckStack, FirewallStack].map(
  (Kind) => stackBeside((app) => new Kind(app, fullStage)).template,
);
const resources: Template["Resources"] = Object.assign(
  {},
  ...[stackOf("full").template, ...beside].map(({ Resources }) => Resources),
);

test("the figures of the full stage and of the sources are those that were reviewed", async () => {
  const tables = { ...deployedFigures(), ...sourceFigures() };
  const text = Object.entries(tables).map(([title, rows]) => `## ${title}\n\n${tableOfFigures(rows)}\n`);
  await expect(text.join("\n")).toMatchFileSnapshot(
    "figures.txt",
    "Look at what changed. If it is meant: npx vitest run test/infra/figures -u",
  );
});

test("every queue, every mapping, and every alarm that a single event does not set off has a reason for its figures", () => {
  const types = ["AWS::CloudWatch::Alarm", "AWS::SQS::Queue", "AWS::Lambda::EventSourceMapping"];
  const explained = Object.entries(resources).filter(([, { Type }]) => types.includes(Type));
  const without = explained.filter(([, { Properties = {}, Metadata: { Reason = "" } = {} }]) => {
    const { Threshold, EvaluationPeriods, ComparisonOperator } = Properties;
    const isEvident = Threshold === 1 && EvaluationPeriods === 1 && ComparisonOperator !== "LessThanThreshold";
    return !isEvident && String(Reason).split(" ").length < 5;
  });
  expect(explained.length).toBeGreaterThan(70);
  expect(without.map(([id]) => id)).toEqual([]);
});

/** Words without which a figure says nothing, or that have one inside. */
const words =
  /^(ComparisonOperator|DeploymentConfigName|.*Expression(Timezone)?|MetricName|(Extended)?Statistic|Stat|TreatMissingData)$/;
/** Values that a function is given are settings of its stage. */
const leftOut = ["Environment", "Port", "Priority", "Tags"];
const names = ["AlarmName", "FunctionName", "LogGroupName", "QueueName"];

/** Every number of the template, with where an alarm goes: a table for each type of resource. The figures of the CDK's own are the CDK's. */
function deployedFigures(): Record<string, [string, Figures][]> {
  const figures = Object.entries(resources)
    .filter(([, { Type }]) => !Type.startsWith("Custom::"))
    .map(([id, each]) => ({ type: each.Type, row: [nameOf(id, each), figuresOf(each)] as [string, Figures] }))
    .filter(({ row }) => row[1].size > 0)
    .toSorted((one, other) => `${one.type} ${one.row[0]}`.localeCompare(`${other.type} ${other.row[0]}`));
  const types = Map.groupBy(figures, ({ type }) => type);
  return Object.fromEntries([...types].map(([type, rows]) => [type, rows.map(({ row }) => row)]));
}

function figuresOf({ Type, Properties = {} }: TemplateResource): Figures {
  const found = new Map<string, string>();
  const walk = (name: string, value: unknown): void => {
    if (leftOut.includes(name)) return;
    if (typeof value === "object") {
      for (const [key, each] of Object.entries(value ?? {})) walk(Array.isArray(value) ? name : key, each);
    } else if (typeof value === "number" || (typeof value === "string" && words.test(name))) {
      found.set(name, [found.get(name) ?? [], value].flat().join(", "));
    }
  };
  walk("", Properties);
  if (Type === "AWS::CloudWatch::Alarm") found.set("Goes to", severityOf(Properties));
  return found;
}

/** The topic that an alarm goes to, by itself or through a summary that asks for it. */
function severityOf(alarm: NonNullable<TemplateResource["Properties"]>): string {
  const asking = Object.values(resources).map(({ Properties = {} }) => Properties);
  const summaries = asking.filter(({ AlarmRule = "" }) => String(AlarmRule).includes(`ALARM("${alarm.AlarmName}")`));
  const actions = JSON.stringify([alarm, ...summaries].map(({ AlarmActions }) => AlarmActions ?? []));
  if (actions.includes("Page")) return "page";
  return actions.includes("Topic") ? "tomorrow" : "nobody";
}

/** A name that people gave, without the stage's; otherwise the id without its digest. */
function nameOf(id: string, { Properties = {} }: TemplateResource): string {
  const given = names.map((name) => Properties[name]).find((name) => typeof name === "string");
  const own = given ?? id.replace(/[0-9A-F]{8}$/, "");
  return String(own).replace(new RegExp(`^.*workforce-${fullStage.name}[-/_]`, "i"), "");
}

/** The figures that stand in the sources: a table for each list of them, a row for each name. */
function sourceFigures(): Record<string, [string, Figures][]> {
  const figuresIn = (value: unknown) =>
    new Map(
      Object.entries(typeof value === "object" ? (value ?? {}) : { is: value }).map(([key, each]) => [
        key,
        String(each),
      ]),
    );
  return Object.fromEntries(
    Object.entries(sources).map(([title, list]) => {
      return [title, Object.entries(list).map(([name, value]): [string, Figures] => [name, figuresIn(value)])];
    }),
  );
}

function tableOfFigures(rows: readonly [string, Figures][]): string {
  const columns = [...new Set(rows.flatMap(([, figures]) => [...figures.keys()]))].toSorted();
  return tableOf(
    ["", ...columns],
    rows.map(([name, figures]) => [name, ...columns.map((column) => figures.get(column) ?? "")]),
  );
}
