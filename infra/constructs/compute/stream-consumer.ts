import { Duration } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, type IFunction, MetricType, StartingPosition } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { type StreamConsumerName, streamFilters } from "../../functions/stream-filters.ts";
import { withReason } from "../reason.ts";

const changesInBatch = 100;
const triedFor = Duration.hours(12);
const reason =
  "Half the day that the stream keeps changes: a person has the other half to read those that were given up.";

export interface StreamConsumerProps {
  readonly name: StreamConsumerName;
  readonly fn: IFunction;
  readonly streamArn: string;
  readonly tableArn: string;
  /** Receives the position of stream records that the consumer failed on for 12 hours. */
  readonly quarantine: Queue;
}

/** Makes a function a consumer of the table's stream. It receives the records that its filters match, in order. */
export class StreamConsumer extends Construct {
  /** The mapping's id in the metrics that Lambda sends of it. */
  readonly mappingId: string;

  constructor(scope: Construct, id: string, { name, fn, streamArn, tableArn, quarantine }: StreamConsumerProps) {
    super(scope, id);
    const mapping = new EventSourceMapping(this, "Worker", {
      target: fn,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: changesInBatch,
      parallelizationFactor: 1,
      reportBatchItemFailures: true,
      maxRecordAge: triedFor,
      onFailure: { bind: () => ({ destination: quarantine.queueArn }) },
      filters: streamFilters[name].map((pattern) => ({ pattern: JSON.stringify(pattern) })),
      // Up to six metrics, one of which says that the mapping polls.
      metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
    });
    withReason(mapping, reason);
    this.mappingId = mapping.eventSourceMappingId;
    // This grants the images of every item, hashes included. Filters choose the delivered records but limit no right.
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["DescribeStream", "GetRecords", "GetShardIterator"].map((each) => `dynamodb:${each}`),
        resources: [streamArn],
      }),
    );
    // A list is of all streams of a table, and AWS asks for the right to them.
    fn.addToRolePolicy(new PolicyStatement({ actions: ["dynamodb:ListStreams"], resources: [`${tableArn}/stream/*`] }));
  }
}
