import { TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { functions as rows } from "../../functions/functions.ts";
import type { QueueName } from "../../functions/queues.ts";
import { streamConsumers } from "../../functions/stream-filters.ts";
import type { WorkQueue } from "../compute/work-queue.ts";
import { type AlarmRow, awsMetric, type MonitoredResources, ownMetric } from "./alarm-row.ts";

interface QueueRow {
  /** The effect if messages wait too long. */
  readonly late: string;
  /** The effect if messages were given up. */
  readonly lost: string;
  /** 15 by default. */
  readonly behindMinutes?: number;
  readonly severity?: "page";
}

const queues: Readonly<Record<QueueName, QueueRow>> = {
  pins: {
    late: "Pins arrive late or not at all: each counts for 12 minutes from when it was asked for.",
    lost: "Some who asked for a pin got none, and have to ask again.",
    behindMinutes: 2,
    severity: "page",
  },
  notices: {
    late: "Users learn late that their password was changed.",
    lost: "Some users were not notified that their password was changed.",
  },
  notifications: {
    late: "Notifications come late.",
    lost: "Some users were not notified of something that concerns them.",
  },
  pushes: {
    late: "Pushes come late; notifications are in the apps all the same.",
    lost: "Some devices got no push; their notifications are in the app all the same.",
  },
  intake: {
    late: "What other systems change shows late.",
    lost: "A change of another system was refused: its record is out of date here.",
  },
  events: {
    late: "Other systems learn late of what happens here; users lose nothing.",
    lost: "Other systems did not learn of something that happened here.",
  },
};

const consumerBehindMinutes = 10;
/** More than three pauses of half an hour, which receivers may ask for. */
const webhookBehindMinutes = 120;

/** Alarms on messages that wait too long, and on messages that were given up. */
export function queueAlarms(watched: MonitoredResources, namespace: string): AlarmRow[] {
  const watchedQueues = Object.entries(watched.queues) as [QueueName, WorkQueue][];
  return [
    ...watchedQueues.flatMap(([name, { queue, deadLetters }]) => {
      return [
        backlogAlarm(name, queue),
        deadLetterAlarm(`${name}-dead-letters`, deadLetters, queues[name].lost, "Dead letters"),
      ];
    }),
    deadLetterAlarm(
      "quarantine",
      watched.quarantine,
      "A change was left out: somebody was not notified, or the history lacks it.",
      "Quarantined changes",
    ),
    {
      ...deadLetterAlarm(
        "undelivered",
        watched.undelivered,
        "Events of other systems did not get in for a day: records are out of date.",
        "Undelivered events",
      ),
      severity: "page",
    },
    {
      id: "intake-rule-fails",
      metric: awsMetric("Events FailedInvocations", watched.intakeRule, { statistic: "Sum", minutes: 5 }),
      threshold: 1,
      impact: "Events of other systems do not get in: records are out of date.",
      heading: "Undelivered events",
    },
    ...webhookAlarms(watched, namespace),
    ...streamConsumers.map((name) => consumerAlarm(name, watched)),
    pollingAlarm(watched),
  ];
}

/**
 * Failed deliveries are retried for a day, but after three tries SQS leaves them out of the oldest message's age. A
 * high age therefore means that messages are not received at all.
 */
function webhookAlarms({ webhooks }: MonitoredResources, namespace: string): AlarmRow[] {
  if (webhooks.length === 0) return [];
  const heading = "A webhook fails";
  const disabled: AlarmRow = {
    id: "webhook-disabled",
    metric: ownMetric(namespace, "WebhooksDisabled", {}, { statistic: "Sum", minutes: 5 }),
    threshold: 1,
    impact:
      "The receiver of a webhook failed for five days, or is gone: it is sent nothing any more. Users lose nothing.",
    heading,
  };
  const late = "A receiver of a webhook learns late of what happens here. Users lose nothing.";
  const lost = "A receiver of a webhook did not learn of something that happened here. Users lose nothing.";
  return [
    disabled,
    ...webhooks.flatMap(({ name, queue, deadLetters }) => [
      ageAlarm(`webhook-${name}-late`, queue, { behindMinutes: webhookBehindMinutes, late, heading }),
      deadLetterAlarm(`webhook-${name}-fails`, deadLetters, lost, heading),
    ]),
  ];
}

function backlogAlarm(name: QueueName, queue: Queue): AlarmRow {
  const { severity } = queues[name];
  const row = ageAlarm(`${name}-late`, queue, { heading: "A queue is behind", ...queues[name] });
  return { ...row, ...(severity && { severity }) };
}

function ageAlarm(
  id: string,
  { queueName: QueueName }: Queue,
  { late: impact, behindMinutes = 15, heading }: Pick<QueueRow, "late" | "behindMinutes"> & { heading: string },
): AlarmRow {
  const age = { statistic: "Maximum", minutes: 1 } as const;
  return {
    id,
    metric: awsMetric("SQS ApproximateAgeOfOldestMessage", { QueueName }, age),
    threshold: behindMinutes * 60,
    periods: 3,
    impact,
    heading,
  };
}

function deadLetterAlarm(id: string, { queueName: QueueName }: Queue, impact: string, heading: string): AlarmRow {
  const most = { statistic: "Maximum", minutes: 5 } as const;
  const metric = awsMetric("SQS ApproximateNumberOfMessagesVisible", { QueueName }, most);
  return { id, metric, threshold: 1, impact, heading };
}

function consumerAlarm(name: (typeof streamConsumers)[number], { functions }: MonitoredResources): AlarmRow {
  const FunctionName = functions.get(name) ?? "";
  return {
    id: `${name}-behind`,
    metric: awsMetric("Lambda IteratorAge", { FunctionName }, { statistic: "Maximum", minutes: 5 }),
    threshold: consumerBehindMinutes * 60_000,
    periods: 2,
    severity: "page",
    impact: rows[name].impact,
    heading: "A consumer of the stream is behind",
  };
}

/** Lambda sends a 0 for a poll that finds nothing. No figure at all means that it does not poll; then it measures no lag either. */
function pollingAlarm({ historyMapping: EventSourceMappingUUID }: MonitoredResources): AlarmRow {
  return {
    id: "keep-history-stands-still",
    metric: awsMetric("Lambda PolledEventCount", { EventSourceMappingUUID }, { statistic: "SampleCount", minutes: 5 }),
    threshold: 1,
    isBelow: true,
    periods: 3,
    treatMissingData: TreatMissingData.BREACHING,
    severity: "page",
    impact: rows["keep-history"].impact,
    heading: "A consumer of the stream stands still",
  };
}
