import { Duration } from "aws-cdk-lib";
import * as cloudwatch from "aws-cdk-lib/aws-cloudwatch";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import type { MetricName, metrics } from "../../../shared/metrics.ts";
import type { StreamConsumerName } from "../../functions/stream-filters.ts";
import { functionNameOf, namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import type { ServiceFunction } from "../compute/service-function.ts";
import type { WorkQueue } from "../compute/work-queue.ts";
import { withReason } from "../reason.ts";
import { alarmNameOf, placeInRunbook } from "./runbook.ts";

/** The monitored resources: everything of a stage that can fail. */
export interface MonitoredResources {
  readonly stage: Stage;
  /** By their names in the service table. The alarm of each is created there. */
  readonly functions: ReadonlyMap<string, ServiceFunction>;
  readonly queues: readonly WorkQueue[];
  /** Ids of the mappings that hand the table's stream to its consumers. */
  readonly streamMappings: ReadonlyMap<StreamConsumerName, string>;
  readonly quarantine: Queue;
  readonly undelivered: Queue;
  readonly apiId: string;
}

/** An alarm: its condition, its effect on users, and its section of the runbook. */
export interface AlarmRow {
  /** The end of the alarm's name, such as `sign-in-faults`. */
  readonly id: string;
  readonly metric: cloudwatch.Metric | cloudwatch.MathExpression;
  /** `page` if the alarm cannot wait for the morning; `tomorrow` by default. */
  readonly severity?: "page";
  /** Fires if the figure is this or more; with `isBelow`, if it is less. */
  readonly threshold: number;
  /** The reason for the threshold and the number of periods, unless a single event fires it. */
  readonly because?: string;
  readonly isBelow?: true;
  /** The number of consecutive periods before it fires; 1 by default. */
  readonly periods?: number;
  /** The number of periods that its expression compares, if the last one decides; with it, leave `periods` out. */
  readonly compared?: number;
  /** The effect of missing data: the alarm fires or keeps its state. By default missing data is good. */
  readonly treatMissingData?: cloudwatch.TreatMissingData.BREACHING | cloudwatch.TreatMissingData.IGNORE;
  /** The things users cannot do while it fires, in a sentence. */
  readonly impact: string;
  /** Heading in infra/RUNBOOK.md. */
  readonly heading: string;
}

/** The names of the functions that are called every day. */
export function dailyFunctions({ functions }: Pick<MonitoredResources, "functions">): string[] {
  return [...functions].flatMap(([name, { row }]) => (row.daily ? [name] : []));
}

export interface MetricStat {
  readonly statistic: "Sum" | "Maximum" | "Minimum" | "Average" | "SampleCount" | "p50" | "p99";
  readonly minutes: number;
}

type Dimensions = Readonly<Record<string, string>>;

/** A metric that AWS sends. */
export function awsMetric(name: `${string} ${string}`, dimensionsMap: Dimensions, look: MetricStat): cloudwatch.Metric {
  const [namespace = "", metricName = ""] = name.split(" ");
  return new cloudwatch.Metric({
    namespace: `AWS/${namespace}`,
    metricName,
    dimensionsMap: { ...dimensionsMap },
    ...shown(look),
  });
}

/** A metric that Lambda sends of one function. */
export function functionMetric(stage: Stage, name: string, metric: string, look: MetricStat): cloudwatch.Metric {
  return awsMetric(`Lambda ${metric}`, { FunctionName: functionNameOf(stage.name, name) }, look);
}

/** A metric that the service sends, with the dimensions that it is sent with. */
export function ownMetric<M extends MetricName>(
  { name }: Stage,
  metricName: M,
  dimensions: Readonly<Record<(typeof metrics)[M][number], string>>,
  look: MetricStat,
): cloudwatch.Metric {
  const namespace = namesOf(name).metrics;
  return new cloudwatch.Metric({ namespace, metricName, dimensionsMap: { ...dimensions }, ...shown(look) });
}

/** A part of a whole, and the least number of it that says something. Metrics of a list are added up. */
interface Share {
  readonly part: readonly cloudwatch.Metric[];
  readonly whole: readonly cloudwatch.Metric[];
  readonly least: number;
  readonly label: string;
}

/**
 * A part in percent of a whole, 0 below the least number. A part that the whole does not contain, as refused calls are
 * not among those that were done, counts as the whole once it is larger.
 */
export function percentOf({ part, whole, least, label }: Share): cloudwatch.MathExpression {
  const [parts, wholes] = [sumOf("part", part), sumOf("whole", whole)];
  const sum = parts.expression;
  return new cloudwatch.MathExpression({
    expression: `IF(${sum} >= ${least}, 100 * ${sum} / MAX([${sum}, ${wholes.expression}]), 0)`,
    usingMetrics: { ...parts.usingMetrics, ...wholes.usingMetrics },
    label,
    period: part[0]?.period,
  });
}

/** The sum of some metrics, whose ids begin with a word; a metric without a figure counts as 0. */
export function sumOf(start: string, metrics: readonly cloudwatch.Metric[]) {
  const usingMetrics = Object.fromEntries(metrics.map((metric, at) => [`${start}${at}`, metric]));
  const filled = Object.keys(usingMetrics).map((id) => `FILL(${id}, 0)`);
  return { expression: filled.length === 1 ? filled.join() : `SUM([${filled.join(", ")}])`, usingMetrics };
}

function shown({ statistic, minutes }: MetricStat) {
  return { statistic, period: Duration.minutes(minutes) };
}

export function addAlarm(scope: Construct, constructId: string, row: AlarmRow, stage: Stage): cloudwatch.Alarm {
  const { id, metric, threshold, isBelow, compared } = row;
  const { LESS_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = cloudwatch.ComparisonOperator;
  const isOfFew = metric instanceof cloudwatch.Metric && metric.statistic.startsWith("p");
  const alarm = new cloudwatch.Alarm(scope, constructId, {
    alarmName: alarmNameOf(stage, id),
    alarmDescription: `${row.impact} Runbook: ${placeInRunbook(row.heading, stage)}`,
    metric,
    threshold,
    comparisonOperator: isBelow ? LESS_THAN_THRESHOLD : GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: compared ?? row.periods ?? 1,
    // The expression says 0 of all but the last period.
    ...(compared !== undefined && { datapointsToAlarm: 1 }),
    treatMissingData: row.treatMissingData ?? cloudwatch.TreatMissingData.NOT_BREACHING,
    ...(isOfFew && { evaluateLowSampleCountPercentile: "ignore" }),
  });
  return row.because === undefined ? alarm : withReason(alarm, row.because);
}
