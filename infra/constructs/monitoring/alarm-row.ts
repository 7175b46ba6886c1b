import { Duration } from "aws-cdk-lib";
import * as cloudwatch from "aws-cdk-lib/aws-cloudwatch";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import type { FoundBy, MetricName } from "../../../shared/run/log.ts";
import type { StreamConsumerName } from "../../functions/stream-filters.ts";
import { functionNameOf, namesOf } from "../../stages/names.ts";
import type { Stage, WatchedStage } from "../../stages/stage-shape.ts";
import type { ServiceFunction } from "../compute/service-function.ts";
import type { WorkQueue } from "../compute/work-queue.ts";
import { withReason } from "../reason.ts";
import { alarmNameOf, placeInRunbook } from "./runbook.ts";

/** The monitored resources: everything of a stage that can fail. */
export interface MonitoredResources {
  readonly stage: WatchedStage;
  /** By their names in the service table. */
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
  /** The id of the alarm during which this one is not sent, because that one says the cause. */
  readonly silentDuring?: string;
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
  dimensions: FoundBy<M>,
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

/** A part in percent of a whole, 0 below the least number. */
export function percentOf({ label, ...share }: Share): cloudwatch.MathExpression {
  const [{ period } = {}] = share.part;
  return new cloudwatch.MathExpression({ ...shareOf(share), label, period });
}

/** The worst of some parts of wholes, in percent of its own whole: it does not vanish among those that are well. */
export function worstPercentOf(
  pairs: readonly { readonly part: cloudwatch.Metric; readonly whole: cloudwatch.Metric }[],
  { least, label }: Pick<Share, "least" | "label">,
): cloudwatch.MathExpression {
  const shares = pairs.map(({ part, whole }, at) => shareOf({ part: [part], whole: [whole], least }, at));
  return new cloudwatch.MathExpression({
    expression: `MAX([${shares.map(({ expression }) => expression).join(", ")}])`,
    usingMetrics: Object.assign({}, ...shares.map(({ usingMetrics }) => usingMetrics)),
    label,
    period: pairs[0]?.part.period,
  });
}

/**
 * A part that the whole does not contain, as refused calls are not among those that were done, counts as the whole once it
 * is larger.
 */
function shareOf({ part, whole, least }: Omit<Share, "label">, from = 0) {
  const [parts, wholes] = [sumOf("part", part, from), sumOf("whole", whole, from)];
  const sum = parts.expression;
  return {
    expression: `IF(${sum} >= ${least}, 100 * ${sum} / MAX([${sum}, ${wholes.expression}]), 0)`,
    usingMetrics: { ...parts.usingMetrics, ...wholes.usingMetrics },
  };
}

/** The sum of some metrics, whose ids are a word and numbers from one on; a metric without a figure counts as 0. */
export function sumOf(start: string, metrics: readonly cloudwatch.Metric[], from = 0) {
  const usingMetrics = Object.fromEntries(metrics.map((metric, at) => [`${start}${from + at}`, metric]));
  const filled = Object.keys(usingMetrics).map((id) => `FILL(${id}, 0)`);
  return { expression: filled.length === 1 ? filled.join() : `SUM([${filled.join(", ")}])`, usingMetrics };
}

function shown({ statistic, minutes }: MetricStat) {
  return { statistic, period: Duration.minutes(minutes) };
}

/** The text of an alarm's e-mail: the effect on users, and the place of its card. */
export function describe({ impact, heading }: AlarmRow, stage: Stage): string {
  return `${impact} Runbook: ${placeInRunbook(heading, stage)}`;
}

export function addAlarm(scope: Construct, constructId: string, row: AlarmRow, stage: Stage): cloudwatch.Alarm {
  const { id, metric, threshold, isBelow, compared } = row;
  const { LESS_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = cloudwatch.ComparisonOperator;
  const isOfFew = metric instanceof cloudwatch.Metric && metric.statistic.startsWith("p");
  const alarm = new cloudwatch.Alarm(scope, constructId, {
    alarmName: alarmNameOf(stage, id),
    alarmDescription: describe(row, stage),
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
