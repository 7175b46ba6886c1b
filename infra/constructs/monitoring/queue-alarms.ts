import { MathExpression, type Metric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { functions as rows } from "../../functions/functions.ts";
import type { QueueRow } from "../../functions/queues.ts";
import { streamConsumers } from "../../functions/stream-filters.ts";
import { namesOf } from "../../stages/names.ts";
import { intakeRuleName } from "../compute/buses.ts";
import { type AlarmRow, awsMetric, functionMetric, type MetricStat, type MonitoredResources } from "./alarm-row.ts";

const consumerBehindMinutes = 10;
const usualLateness = "A burst of messages is done sooner.";

/** Alarms on messages that wait too long, and on messages that were given up. */
export function queueAlarms(watched: MonitoredResources): AlarmRow[] {
  const intakeRule = { EventBusName: namesOf(watched.stage.name).eventBus, RuleName: intakeRuleName };
  return [
    ...[...Map.groupBy(watched.queues, ({ name, row }) => row.alarmedWith ?? name)].flatMap(([name, group]) => {
      const [late, lost] = [group.map(({ row }) => row.late).join(" "), group.map(({ row }) => row.lost).join(" ")];
      const [queues, deadLetters] = [group.map(({ queue }) => queue), group.map((each) => each.deadLetters)];
      return [
        ageAlarm(`${name}-late`, queues, { ...group[0]?.row, late, heading: "A queue is behind" }),
        deadLetterAlarm(`${name}-dead-letters`, deadLetters, { impact: lost, heading: "Dead letters" }),
      ];
    }),
    deadLetterAlarm("quarantine", [watched.quarantine], {
      impact: "A change was left out: somebody was not notified, or the history lacks it.",
      heading: "Quarantined changes",
    }),
    deadLetterAlarm("undelivered", [watched.undelivered], {
      impact: "Events of other systems did not get in for a day: records are out of date.",
      heading: "Undelivered events",
      severity: "page",
    }),
    {
      id: "intake-rule-fails",
      metric: awsMetric("Events FailedInvocations", intakeRule, { statistic: "Sum", minutes: 5 }),
      threshold: 1,
      impact: "Events of other systems do not get in: records are out of date.",
      heading: "Undelivered events",
    },
    ...streamConsumers.map((name) => consumerAlarm(name, watched)),
    ...streamConsumers.map((name) => pollingAlarm(name, watched)),
  ];
}

interface LateRow extends Pick<QueueRow, "late" | "behindMinutes" | "because" | "severity"> {
  readonly heading: string;
}

function ageAlarm(
  id: string,
  queues: readonly Queue[],
  { late: impact, behindMinutes = 15, because = usualLateness, severity, heading }: LateRow,
): AlarmRow {
  const age = { statistic: "Maximum", minutes: 1 } as const;
  return {
    id,
    metric: worstOf(queues, "SQS ApproximateAgeOfOldestMessage", age),
    threshold: behindMinutes * 60,
    because,
    periods: 3,
    impact,
    heading,
    severity,
  };
}

function deadLetterAlarm(
  id: string,
  queues: readonly Queue[],
  about: Pick<AlarmRow, "impact" | "heading" | "severity">,
): AlarmRow {
  const most = { statistic: "Maximum", minutes: 5 } as const;
  const metric = worstOf(queues, "SQS ApproximateNumberOfMessagesVisible", most);
  return { id, metric, threshold: 1, ...about };
}

/** The highest figure of some queues. */
function worstOf(queues: readonly Queue[], metric: `SQS ${string}`, look: MetricStat): Metric | MathExpression {
  const metrics = queues.map(({ queueName: QueueName }) => awsMetric(metric, { QueueName }, look));
  const [only, ...others] = metrics;
  if (only && others.length === 0) return only;
  const usingMetrics = Object.fromEntries(metrics.map((each, at) => [`part${at}`, each]));
  const parts = Object.keys(usingMetrics).map((part) => `FILL(${part}, 0)`);
  return new MathExpression({ expression: `MAX([${parts.join(", ")}])`, usingMetrics, period: only?.period });
}

function consumerAlarm(name: (typeof streamConsumers)[number], { stage }: MonitoredResources): AlarmRow {
  return {
    id: `${name}-behind`,
    metric: functionMetric(stage, name, "IteratorAge", { statistic: "Maximum", minutes: 5 }),
    threshold: consumerBehindMinutes * 60_000,
    because: "A burst of changes, or a batch that is tried again, is done sooner.",
    periods: 2,
    severity: "page",
    impact: rows[name].impact,
    heading: "A consumer of the stream is behind",
  };
}

/**
 * Lambda sends a 0 for a poll that finds nothing, also on a table without writes. No figure at all means that it does
 * not poll, whatever the reason; then it measures no lag either.
 */
function pollingAlarm(name: (typeof streamConsumers)[number], { streamMappings }: MonitoredResources): AlarmRow {
  const EventSourceMappingUUID = streamMappings.get(name) ?? "";
  return {
    id: `${name}-stands-still`,
    metric: awsMetric("Lambda PolledEventCount", { EventSourceMappingUUID }, { statistic: "SampleCount", minutes: 5 }),
    threshold: 1,
    isBelow: true,
    periods: 3,
    because: "A figure may come late; three that are absent mean that nothing polls.",
    treatMissingData: TreatMissingData.BREACHING,
    severity: "page",
    impact: rows[name].impact,
    heading: "A consumer of the stream stands still",
  };
}
