import { Duration, Stack, TimeZone } from "aws-cdk-lib";
import { PolicyStatement, type Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, MetricType, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { Schedule, ScheduleExpression } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { DailyTime } from "../../functions/function-row.ts";
import { type StreamConsumerName, streamFilters } from "../../functions/stream-filters.ts";
import { withReason } from "../reason.ts";
import { InlineRole } from "./inline-role.ts";
import type { ServiceFunction } from "./service-function.ts";

const retries = 2;
const triedForHours = 6;

/** Calls a function once a day. Retries if the call does not reach it or fails. */
export function addDailySchedule(worker: ServiceFunction, { hour, minute, timeZone }: Required<DailyTime>): Construct {
  const scope = new Construct(worker, "Daily");
  const limits = { maxEventAge: Duration.hours(triedForHours), retryAttempts: retries };
  // The schedule retries until Lambda has accepted the call. Lambda then retries until the function succeeds.
  worker.live.configureAsyncInvoke(limits);
  return new Schedule(scope, "Schedule", {
    schedule: ScheduleExpression.cron({
      hour: String(hour),
      minute: String(minute),
      timeZone: TimeZone.of(timeZone),
    }),
    target: new LambdaInvoke(worker.live, { ...limits, role: createScheduleRole(scope) }),
  });
}

/** The role of one schedule, which may call its function alone. The CDK's own has its rights in a resource beside it. */
function createScheduleRole(scope: Construct): Role {
  const stack = Stack.of(scope);
  const group = stack.formatArn({ service: "scheduler", resource: "schedule-group", resourceName: "default" });
  const conditions = { StringEquals: { "aws:SourceAccount": stack.account, "aws:SourceArn": group } };
  return new InlineRole(scope, "Role", { assumedBy: new ServicePrincipal("scheduler.amazonaws.com", { conditions }) });
}

const changesInBatch = 100;
const triedFor = Duration.hours(12);
const reason =
  "Half the day that the stream keeps changes: a person has the other half to read those that were given up.";

interface StreamPlace {
  readonly name: StreamConsumerName;
  readonly streamArn: string;
  readonly tableArn: string;
  /** Receives the position of stream records that the consumer failed on for 12 hours. */
  readonly quarantine: Queue;
  /** Whether an alarm watches that the mapping polls. */
  readonly isWatched: boolean;
}

/**
 * Makes a function a consumer of the table's stream. It receives the records that its filters match, in order. Gives the id of the
 * mapping in the metrics that Lambda sends of it.
 */
export function addStreamConsumer(
  worker: ServiceFunction,
  { name, streamArn, tableArn, quarantine, isWatched }: StreamPlace,
): string {
  const mapping = new EventSourceMapping(new Construct(worker, "Stream"), "Worker", {
    target: worker.live,
    eventSourceArn: streamArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: changesInBatch,
    parallelizationFactor: 1,
    reportBatchItemFailures: true,
    // A call that dies names no record: halves of the batch leave the one that kills it alone.
    bisectBatchOnError: true,
    maxRecordAge: triedFor,
    onFailure: { bind: () => ({ destination: quarantine.queueArn }) },
    filters: streamFilters[name].map((pattern) => ({ pattern: JSON.stringify(pattern) })),
    // Up to six metrics, one of which says that the mapping polls.
    ...(isWatched && { metricsConfig: { metrics: [MetricType.EVENT_COUNT] } }),
  });
  withReason(mapping, reason);
  const allow = (actions: string[], resource: string) =>
    worker.live.addToRolePolicy(
      new PolicyStatement({ actions: actions.map((each) => `dynamodb:${each}`), resources: [resource] }),
    );
  // This grants the images of every item, hashes included. Filters choose the delivered records but limit no right.
  allow(["DescribeStream", "GetRecords", "GetShardIterator"], streamArn);
  // A list is of all streams of a table, and AWS asks for the right to them.
  allow(["ListStreams"], `${tableArn}/stream/*`);
  return mapping.eventSourceMappingId;
}
