import type { Template, TemplateResource } from "../../../whole-template.ts";
import { tableOf } from "../marked-tables.ts";
import { withUnit } from "./units.ts";

/** A property of a resource, by its name in CloudFormation, and what it is set to. */
type Figures = ReadonlyMap<string, string>;

/** Properties of words, without which a figure says nothing, or that have one inside. */
const words = new Set([
  "ComparisonOperator",
  "DeploymentConfigName",
  "Expression",
  "MetricName",
  "ScheduleExpression",
  "Statistic",
  "TreatMissingData",
]);
/** Values that a function is given are settings of its stage. The figures of the CDK's own resources are the CDK's. */
const leftOut = { properties: new Set(["Environment", "Tags"]), types: /^Custom::/ };
/** CloudFormation has three names for what an alarm looks at in a period. */
const statistics = ["Stat", "ExtendedStatistic"];
const names = ["AlarmName", "FunctionName", "LogGroupName", "QueueName"];

/** The number of every property in a stage's template: a table for each type of resource, with a column for each property. */
export function deployedTables(template: Template, stage: string): string {
  const types = Map.groupBy(Object.entries(template.Resources), ([, { Type }]) => Type);
  return [...types]
    .filter(([type]) => !leftOut.types.test(type))
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([type, resources]) => {
      const rows = resources
        .map(([id, resource]) => ({ name: nameOf(id, resource, stage), figures: figuresOf(resource, template) }))
        .filter(({ figures }) => figures.size > 0)
        .toSorted((one, other) => one.name.localeCompare(other.name));
      const columns = [...new Set(rows.flatMap(({ figures }) => [...figures.keys()]))].toSorted();
      const lines = rows.map(({ name, figures }) => [name, ...columns.map((column) => figures.get(column) ?? "")]);
      return rows.length === 0 ? [] : [`### ${type}\n\n${tableOf(["", ...columns], lines)}`];
    })
    .join("\n\n");
}

function figuresOf(resource: TemplateResource, template: Template): Figures {
  const found = new Map<string, string>();
  const add = (name: string, value: string) => found.set(name, [found.get(name) ?? [], value].flat().join(", "));
  const walk = (given: string, value: unknown): void => {
    const name = statistics.includes(given) ? "Statistic" : given;
    if (leftOut.properties.has(name)) return;
    if (name === "Filters" && Array.isArray(value)) add(name, String(value.length));
    else if (typeof value === "number") add(name, shown(name, value));
    else if (typeof value === "string" && words.has(name)) add(name, value);
    else if (Array.isArray(value)) for (const each of value) walk(name, each);
    else if (typeof value === "object") for (const [key, each] of Object.entries(value ?? {})) walk(key, each);
  };
  walk("", resource.Properties);
  if (resource.Type === "AWS::CloudWatch::Alarm") found.set("Severity", severityOf(resource, template));
  return found;
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
  return withUnit(value, /(?:Period|Timeout|Age)$/.test(name) ? "seconds" : name.replace("InDays", "Days"));
}
