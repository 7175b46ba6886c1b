import { Duration } from "aws-cdk-lib";
import { type MathExpression, Metric, type TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { MetricName, metrics } from "../../../shared/metrics.ts";
import type { ServiceTable } from "../../functions/service-table.ts";
import type { WorkQueue } from "../compute/work-queue.ts";
import type { WebhookQueue } from "../webhooks/webhooks.ts";

/** The monitored resources: everything of a stage that can fail. */
export interface MonitoredResources {
  readonly service: ServiceTable;
  /** The name in AWS of each function, by the function's name in the service table. */
  readonly functions: ReadonlyMap<string, string>;
  readonly queues: readonly WorkQueue[];
  readonly webhooks: readonly WebhookQueue[];
  /** Id of the mapping that hands the table's stream to `keep-history`. */
  readonly historyMapping: string;
  readonly quarantine: Queue;
  readonly undelivered: Queue;
  /** CloudWatch's dimensions of the rule that sends events of other systems to their queue. */
  readonly intakeRule: { readonly EventBusName: string; readonly RuleName: string };
  readonly tableName: string;
  readonly apiId: string;
}

/** An alarm: its condition, its effect on users, and its section of the runbook. */
export interface AlarmRow {
  /** The end of the alarm's name, such as `sign-in-faults`. */
  readonly id: string;
  readonly metric: Metric | MathExpression;
  /** `page` if the alarm cannot wait for the morning; `tomorrow` by default. */
  readonly severity?: "page";
  /** Fires if the figure is this or more; with `isBelow`, if it is less. */
  readonly threshold: number;
  /** The reason for the threshold and the number of periods, unless a single event fires it. */
  readonly because?: string;
  readonly isBelow?: true;
  /** The number of consecutive periods before it fires; 1 by default. */
  readonly periods?: number;
  /** The effect of missing data: the alarm fires or keeps its state. By default missing data is good. */
  readonly treatMissingData?: TreatMissingData.BREACHING | TreatMissingData.IGNORE;
  /** The things users cannot do while it fires, in a sentence. */
  readonly impact: string;
  /** Heading in infra/RUNBOOK.md. */
  readonly heading: string;
}

/** The statistic and period of a metric. */
export interface MetricStat {
  readonly statistic: "Sum" | "Maximum" | "Minimum" | "Average" | "SampleCount" | "p50" | "p99";
  readonly minutes: number;
}

type Dimensions = Readonly<Record<string, string>>;

/** A metric that AWS sends. */
export function awsMetric(name: `${string} ${string}`, dimensionsMap: Dimensions, look: MetricStat): Metric {
  const [namespace = "", metricName = ""] = name.split(" ");
  return new Metric({ namespace: `AWS/${namespace}`, metricName, dimensionsMap: { ...dimensionsMap }, ...shown(look) });
}

/** A metric that the service sends, with the dimensions that it is sent with. */
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
