import type { Template, TemplateResource } from "../../../whole-template.ts";
import { tableOf } from "../marked-tables.ts";
import { withUnit } from "./units.ts";

/** The figures of a resource: a property's name in CloudFormation, and what it is set to. */
type Figures = ReadonlyMap<string, string>;

/** A stage, and the template of all that is deployed for it. */
export interface DeployedStage {
  readonly name: string;
  readonly template: Template;
}

/** Properties of words, without which a figure says nothing, or that have one inside. */
const words = new Set([
  "ComparisonOperator",
  "DeploymentConfigName",
  "Expression",
  "MetricName",
  "ScheduleExpression",
  "ScheduleExpressionTimezone",
  "Statistic",
  "TreatMissingData",
]);
/** Values that a function is given are settings of its stage. The figures of the CDK's own resources are the CDK's. */
const leftOut = { properties: new Set(["Environment", "Port", "Priority", "Tags"]), types: /^Custom::/ };
/** CloudFormation has three names for what an alarm looks at in a period. */
const statistics = ["Stat", "ExtendedStatistic"];
const names = ["AlarmName", "FunctionName", "LogGroupName", "QueueName"];
const comparisons: Readonly<Record<string, string>> = { GreaterThanOrEqualToThreshold: "≥", LessThanThreshold: "<" };
const unitsOfMetrics: Readonly<Record<string, string>> = {
  ApproximateAgeOfOldestMessage: "seconds",
  DaysToExpiry: "days",
  IteratorAge: "ms",
  Latency: "ms",
};

/** Every number in a stage's template: a table for each type of resource, a column for each property. Resources alike share a row. */
export function deployedTables({ template, name: stage }: DeployedStage): string {
  const types = Map.groupBy(Object.entries(template.Resources), ([, { Type }]) => Type);
  const tables = [...types].toSorted(byName).flatMap(([type, resources]) => {
    const figures = resources.map(([id, each]) => [nameOf(id, each, stage), figuresOf(each, template)] as const);
    const rows = [...new Map(figures)].filter(([, each]) => each.size > 0).toSorted(byName);
    if (rows.length === 0 || leftOut.types.test(type)) return [];
    const columns = [...new Set(rows.flatMap(([, each]) => [...each.keys()]))].toSorted();
    const alike = Map.groupBy(rows, ([, each]) => JSON.stringify([...each]));
    const lines = [...alike.values()].map((group) => {
      const own = group.map(([name]) => name).join(", ");
      return [own, ...columns.map((column) => group[0]?.[1].get(column) ?? "")];
    });
    return [`### ${type}\n\n${tableOf(["", ...columns], lines)}`];
  });
  return tables.join("\n\n");
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one.localeCompare(other);
}

function figuresOf(resource: TemplateResource, template: Template): Figures {
  const found = new Map<string, string>();
  const add = (name: string, value: string) => found.set(name, [found.get(name) ?? [], value].flat().join(", "));
  const walk = (given: string, value: unknown): void => {
    const name = statistics.includes(given) ? "Statistic" : given;
    if (leftOut.properties.has(name)) return;
    if (name === "Filters" && Array.isArray(value)) add(name, String(value.length));
    else if (typeof value === "number") add(name, shown(name, value));
    else if (typeof value === "string" && words.has(name)) add(name, comparisons[value] ?? value);
    else if (Array.isArray(value)) for (const each of value) walk(name, each);
    else if (typeof value === "object") for (const [key, each] of Object.entries(value ?? {})) walk(key, each);
  };
  walk("", resource.Properties);
  const { Reason } = resource.Metadata ?? {};
  if (typeof Reason === "string") found.set("Why", Reason);
  if (resource.Type !== "AWS::CloudWatch::Alarm") return found;
  const { Threshold, MetricName = "" } = resource.Properties ?? {};
  const unit = unitsOfMetrics[String(MetricName)];
  if (unit !== undefined) found.set("Threshold", withUnit(Number(Threshold), unit));
  return found.set("Severity", severityOf(resource, template));
}

/** The topic that an alarm goes to, by itself or through another one that asks for it. */
function severityOf({ Properties }: TemplateResource, { Resources }: Template): string {
  const name = JSON.stringify(Properties?.AlarmName);
  const sending = [
    Properties,
    ...Object.values(Resources)
      .filter(({ Properties: { AlarmRule = "" } = {} }) => String(AlarmRule).includes(`ALARM(${name})`))
      .map((each) => each.Properties),
  ];
  const actions = JSON.stringify(sending.map((each) => each?.AlarmActions ?? []));
  if (actions.includes("Page")) return "page";
  return actions.includes("Topic") ? "tomorrow" : "";
}

/** A name that people gave, without the stage's; otherwise the id without its digest and its nested stack. */
function nameOf(id: string, { Properties = {} }: TemplateResource, stage: string): string {
  const given = names.map((name) => Properties[name]).find((name) => typeof name === "string");
  const own = given ?? id.replace(/^\w+\./, "").replace(/[0-9A-F]{8}$/, "");
  return own.replace(new RegExp(`^.*workforce-${stage}[-/_]`, "i"), "");
}

/** CloudFormation counts memory in megabytes, and a time in seconds unless the name ends in another unit. */
function shown(name: string, value: number): string {
  if (name === "MemorySize") return `${value} MB`;
  return withUnit(
    value,
    /(?:Period|Timeout|Age|Sec|RequestInterval)$/.test(name) ? "seconds" : name.replace("InDays", "Days"),
  );
}
