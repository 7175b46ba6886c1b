import { Duration } from "aws-cdk-lib";
import * as cloudwatch from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { chunksOf } from "../../../shared/batches.ts";
import { type MetricName, metrics } from "../../../shared/metrics.ts";
import { namesOf, tableNameOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import { type AlarmRow, awsMetric, functionMetric, type MetricStat, type MonitoredResources } from "./alarm-row.ts";
import { alarmNameOf, linkToRunbook } from "./runbook.ts";

/** CloudWatch's limit. */
const mostAlarmsInWidget = 100;
/** In columns of CloudWatch's grid. */
const fullWidth = 24;
const graphsInRow = 3;
const graphHeight = 6;
/** Metrics that only releases look at. */
export const ofVersions = ["VersionFaults", "VersionRefusals", "Refusals"];
const sum: MetricStat = { statistic: "Sum", minutes: 5 };

type Graph = readonly [title: string, lines: readonly cloudwatch.IMetric[]];

/**
 * Adds the one dashboard of a stage: the state of its alarms, what users feel, a graph for each chapter of the runbook with
 * the figures of its alarms, and figures that have no alarm.
 */
export function addDashboard(scope: Construct, watched: MonitoredResources, rows: readonly AlarmRow[]): void {
  const { stage } = watched;
  const headings = [...new Set(rows.map(({ heading }) => heading))];
  const links = headings.map((heading) => linkToRunbook(heading, stage)).join(" · ");
  const alarmGraphs = [...Map.groupBy(rows, titleOf)].map(([title, of]): Graph => [title, of.flatMap(linesOf)]);
  new cloudwatch.Dashboard(scope, "Dashboard", {
    dashboardName: namesOf(stage.name).stack,
    defaultInterval: Duration.hours(12),
    widgets: [
      ...alarmStates(scope, stage, rows).map((widget) => [widget]),
      [text(`**What to do when one fires:** ${links}`, 3)],
      [text("## What users feel")],
      ...inRows(usersGraphs(watched)),
      [text("## What alarms watch, by chapter of the runbook")],
      ...inRows(alarmGraphs),
      [text("## What has no alarm")],
      ...inRows(furtherGraphs(watched, rows)),
    ],
  });
}

/** Alarms are imported by name: a reference to each would make the body of the dashboard longer. */
function alarmStates(scope: Construct, stage: Stage, rows: readonly AlarmRow[]): cloudwatch.AlarmStatusWidget[] {
  const named = rows.map(({ id }) => cloudwatch.Alarm.fromAlarmName(scope, `named-${id}`, alarmNameOf(stage, id)));
  return chunksOf(named, mostAlarmsInWidget).map(
    (alarms) => new cloudwatch.AlarmStatusWidget({ title: "Alarms", alarms, width: fullWidth, height: 8 }),
  );
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
    ["Calls of functions", each("Invocations", sum)],
    ["Errors of functions", each("Errors", sum)],
    ["Time of functions, p99 in ms", each("Duration", { statistic: "p99", minutes: 5 })],
  ];
}

/** A figure that is sent by source is one line for each source. */
function ownFigure(namespace: string, name: MetricName): cloudwatch.IMetric {
  const [dimension] = metrics[name];
  if (dimension === undefined) return new cloudwatch.Metric({ namespace, metricName: name, statistic: "Sum" });
  const expression = `SEARCH('{${namespace},${dimension}} MetricName="${name}"', 'Sum', 300)`;
  return new cloudwatch.MathExpression({ expression, label: "", usingMetrics: {} });
}

/** The chapter of the runbook. A graph takes an id of an expression's metric once, so that each expression has its own. */
function titleOf(row: AlarmRow): string {
  return partsOf(row).length > 0 ? row.heading : `${row.heading}: ${row.id}`;
}

/** The lines of an alarm are named after it. Of a share they are the part, in numbers. */
function linesOf(row: AlarmRow): cloudwatch.IMetric[] {
  const parts = partsOf(row);
  const shown = parts.length > 0 ? parts : [row.metric];
  return shown.map((each) => each.with({ label: row.id }));
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
