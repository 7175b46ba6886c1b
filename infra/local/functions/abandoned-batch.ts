import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import type { LocalStreamMapping } from "../stack/event-sources.ts";

/** Why a batch was given up, in Lambda's words. */
export type AbandonReason = "RetryAttemptsExhausted" | "RecordAgeExceeded";

/** What Lambda tells a mapping's on-failure destination of a batch that it gave up: its place, and nothing of its items. */
export function abandonedBatch(
  mapping: Pick<LocalStreamMapping, "functionName" | "streamArn">,
  shardId: string,
  records: readonly DynamoDBRecord[],
  { reason, calls }: { reason: AbandonReason; calls: number },
): object {
  const [first, last] = [records[0]?.dynamodb, records.at(-1)?.dynamodb];
  const arrival = (seconds = 0) => new Date(seconds * 1000).toISOString();
  const [, , , region, account] = mapping.streamArn.split(":");
  return {
    requestContext: {
      requestId: randomUUID(),
      functionArn: `arn:aws:lambda:${region}:${account}:function:${mapping.functionName}`,
      condition: reason,
      approximateInvokeCount: calls,
    },
    responseContext: { statusCode: 200, executedVersion: "$LATEST", functionError: "Unhandled" },
    version: "1.0",
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: first?.SequenceNumber,
      endSequenceNumber: last?.SequenceNumber,
      approximateArrivalOfFirstRecord: arrival(first?.ApproximateCreationDateTime),
      approximateArrivalOfLastRecord: arrival(last?.ApproximateCreationDateTime),
      batchSize: records.length,
      streamArn: mapping.streamArn,
    },
  };
}
