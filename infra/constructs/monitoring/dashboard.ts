import { Duration } from "aws-cdk-lib";
import * as cloudwatch from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { chunksOf } from "../../../shared/run/batches.ts";
import { type MetricName, metrics } from "../../../shared/run/log.ts";
import { functionNameOf, namesOf, tableNameOf } from "../../stages/names.ts";
import type { ServiceFunction } from "../compute/service-function.ts";
import { type AlarmRow, awsMetric, functionMetric, type MetricStat, type MonitoredResources } from "./alarm-row.ts";
import { linkToRunbook } from "./runbook.ts";
import type { MadeAlarm } from "./sent-alarms.ts";

/** In columns of CloudWatch's grid. */
const fullWidth = 24;
const graphsInRow = 3;
const graphHeight = 6;
const wide = { width: fullWidth, height: 8 };
/** Metrics that only releases look at. */
export const ofVersions = ["VersionFaults", "VersionRefusals", "Refusals"];
const sum: MetricStat = { statistic: "Sum", minutes: 5 };

/** The functions that failed, how often, and what people cannot do meanwhile. A call that Lambda ended has its report alone. */
export const faultsQuery = [
  "fields coalesce(operation, @log) as name",
  'filter level = "error" or status >= 500 or type = "platform.report"',
  "stats count() as times by name, impact",
  "sort times desc",
];

type Graph = readonly [title: string, lines: readonly cloudwatch.IMetric[]];

/**
 * Adds the one dashboard of a stage: the state of its alarms, what users feel, which operations and workers fail, a graph for
 * each card of the runbook with the figures of its alarms, and figures that have no alarm.
 */
export function addDashboard(scope: Construct, watched: MonitoredResources, made: readonly MadeAlarm[]): void {
  const { stage } = watched;
  const rows = made.map(({ row }) => row);
  const headings = [...new Set(rows.map(({ heading }) => heading))];
  const links = headings.map((heading) => linkToRunbook(heading, stage)).join(" · ");
  const alarmGraphs = [...Map.groupBy(rows, titleOf)].map(([title, of]): Graph => [title, of.flatMap(linesOf)]);
  new cloudwatch.Dashboard(scope, "Dashboard", {
    dashboardName: namesOf(stage.name).stack,
    defaultInterval: Duration.hours(12),
    widgets: [
      [new cloudwatch.AlarmStatusWidget({ title: "Alarms", alarms: made.map(({ alarm }) => alarm), ...wide })],
      [text(`**What to do when one fires:** ${links}`, 3)],
      [text("## What users feel")],
      ...inRows(usersGraphs(watched)),
      [text("## What fails, and what people cannot do")],
      [faultsTable("Operations", watched), faultsTable("Workers", watched)],
      [text("## What alarms watch, by card of the runbook")],
      ...inRows(alarmGraphs),
      [text("## What has no alarm")],
      ...inRows(furtherGraphs(watched, rows)),
    ],
  });
}

/** Operations and workers apart, as a query takes 50 log groups. */
function faultsTable(
  title: "Operations" | "Workers",
  { functions, stage }: MonitoredResources,
): cloudwatch.LogQueryWidget {
  const isShown = ({ row }: ServiceFunction) => (row.area === "workers") === (title === "Workers");
  const names = [...functions].flatMap(([name, made]) => (isShown(made) ? [name] : []));
  const logGroupNames = names.map((name) => `/aws/lambda/${functionNameOf(stage.name, name)}`);
  return new cloudwatch.LogQueryWidget({
    title,
    logGroupNames,
    queryLines: faultsQuery,
    width: fullWidth / 2,
    height: 8,
  });
}

function usersGraphs({ apiId: ApiId }: MonitoredResources): Graph[] {
  const api = (name: string, look: MetricStat) => awsMetric(`ApiGateway ${name}`, { ApiId }, look);
  const times = (["p50", "p99"] as const).map((statistic) => ({ statistic, minutes: 5 }));
  return [
    ["Requests", [api("Count", sum)]],
    ["Refused (4xx) and failed (5xx)", [api("4xx", sum), api("5xx", sum)]],
    ["Time to answer in ms", times.map((look) => api("Latency", look).with({ label: look.statistic }))],
  ];
}

function furtherGraphs({ functions, stage }: MonitoredResources, rows: readonly AlarmRow[]): Graph[] {
  const namespace = namesOf(stage.name).metrics;
  const table = (name: string) => awsMetric(`DynamoDB ${name}`, { TableName: tableNameOf(stage) }, sum);
  const each = (name: string, look: MetricStat) =>
    [...functions.keys()].map((label) => functionMetric(stage, label, name, look).with({ label }));
  // A release alone looks at the answers of versions.
  const seen = [...ofVersions, ...rows.flatMap(partsOf).map(({ metricName }) => metricName)];
  const others = Object.keys(metrics).filter((name) => !seen.includes(name)) as MetricName[];
  return [
    ["Table units", [table("ConsumedReadCapacityUnits"), table("ConsumedWriteCapacityUnits")]],
    ["The service's own figures", others.map((name) => ownFigure(namespace, name))],
    ["Faults of operations", [ownFigure(namespace, "Faults")]],
    ["Calls of functions", each("Invocations", sum)],
    ["Errors of functions", each("Errors", sum)],
    ["Time of functions, p99 in ms", each("Duration", { statistic: "p99", minutes: 5 })],
  ];
}

/** A figure that is sent by operation or source is one line for each. */
function ownFigure(namespace: string, name: MetricName): cloudwatch.IMetric {
  const [[dimension]] = metrics[name];
  if (dimension === undefined) return new cloudwatch.Metric({ namespace, metricName: name, statistic: "Sum" });
  const expression = `SEARCH('{${namespace},${dimension}} MetricName="${name}"', 'Sum', 300)`;
  return new cloudwatch.MathExpression({ expression, label: "", usingMetrics: {} });
}

/** The card of the runbook. A graph takes an id of an expression's metric once, so that each expression has its own. */
function titleOf(row: AlarmRow): string {
  return partsOf(row).length > 0 ? row.heading : `${row.heading}: ${row.id}`;
}

/** The lines of an alarm are named after it, and those of a sum after their last dimension. Of a share they are the part, in numbers. */
function linesOf(row: AlarmRow): cloudwatch.IMetric[] {
  const parts = partsOf(row);
  if (parts.length === 0) return [row.metric.with({ label: row.id })];
  const ofSum = ({ dimensions = {} }: cloudwatch.Metric) => `${row.id} ${Object.values(dimensions).at(-1)}`;
  return parts.map((each) => each.with({ label: parts.length > 1 ? ofSum(each) : row.id }));
}

/** The one metric of an alarm, or those that its share adds up; none for other expressions. */
function partsOf({ metric }: AlarmRow): cloudwatch.Metric[] {
  if (metric instanceof cloudwatch.Metric) return [metric];
  const used = Object.entries(metric.usingMetrics).filter(([id]) => /^part\d+$/.test(id));
  return used.flatMap(([, each]) => (each instanceof cloudwatch.Metric ? [each] : []));
}

function inRows(graphs: readonly Graph[]): cloudwatch.GraphWidget[][] {
  const width = fullWidth / graphsInRow;
  const widgets = graphs.map(
    ([title, left]) => new cloudwatch.GraphWidget({ title, left: [...left], width, height: graphHeight }),
  );
  return chunksOf(widgets, graphsInRow);
}

function text(markdown: string, height = 1): cloudwatch.TextWidget {
  return new cloudwatch.TextWidget({ markdown, width: fullWidth, height });
}
