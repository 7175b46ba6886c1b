import { Duration } from "aws-cdk-lib";
import { type MathExpression, Metric, type TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { MetricName, metrics } from "../../../shared/metrics.ts";
import type { ByQueue } from "../../functions/queues.ts";
import type { ServiceTable } from "../../functions/service-table.ts";
import type { WorkQueue } from "../compute/work-queue.ts";
import type { WebhookQueue } from "../webhooks/webhooks.ts";

/** What is watched: everything of a stage that can fail. */
export interface MonitoredResources {
  readonly service: ServiceTable;
  /** The name of each function in AWS. */
  readonly functions: ReadonlyMap<string, string>;
  readonly queues: ByQueue<WorkQueue>;
  readonly webhooks: readonly WebhookQueue[];
  readonly quarantine: Queue;
  readonly undelivered: Queue;
  /** The rule that leads events of other systems to their queue, as CloudWatch names it. */
  readonly intakeRule: { readonly EventBusName: string; readonly RuleName: string };
  readonly tableName: string;
  readonly apiId: string;
}

/** When an alarm fires, what users cannot do meanwhile, and where the runbook says what to do. */
export interface AlarmRow {
  /** What the alarm's name ends in, such as `sign-in-faults`. */
  readonly id: string;
  readonly metric: Metric | MathExpression;
  /** `page` where it cannot wait for the morning; `tomorrow` where a row says nothing. */
  readonly severity?: "page";
  /** Fires when the figure is this or more; with `isBelow`, when it is less. */
  readonly threshold: number;
  readonly isBelow?: true;
  /** Periods in a row that it must be so; 1 where a row says nothing. */
  readonly periods?: number;
  /** What it means when no figure comes: the alarm fires, or it stays as it is; all is well where a row says nothing. */
  readonly treatMissingData?: TreatMissingData.BREACHING | TreatMissingData.IGNORE;
  /** What users cannot do while it fires, in a sentence. */
  readonly impact: string;
  /** Heading in infra/RUNBOOK.md. */
  readonly heading: string;
}

/** How a metric is looked at. */
export interface MetricStat {
  readonly statistic: "Sum" | "Maximum" | "Minimum" | "Average" | "SampleCount" | "p50" | "p99";
  readonly minutes: number;
}

type Dimensions = Readonly<Record<string, string>>;

/** A metric that AWS sends of itself. */
export function awsMetric(name: `${string} ${string}`, dimensionsMap: Dimensions, look: MetricStat): Metric {
  const [namespace = "", metricName = ""] = name.split(" ");
  return new Metric({ namespace: `AWS/${namespace}`, metricName, dimensionsMap: { ...dimensionsMap }, ...shown(look) });
}

/** A metric that the service sends of itself, with the dimensions that it is sent with. */
export function ownMetric<M extends MetricName>(
  namespace: string,
  metricName: M,
  dimensions: Readonly<Record<(typeof metrics)[M][number], string>>,
  look: MetricStat,
): Metric {
  return new Metric({ namespace, metricName, dimensionsMap: { ...dimensions }, ...shown(look) });
}

function shown({ statistic, minutes }: MetricStat) {
  return { statistic, period: Duration.minutes(minutes) };
}
