import { createHash } from "node:crypto";
import type { _Record as StreamRecord } from "@aws-sdk/client-dynamodb-streams";
import type { DynamoDBRecord } from "aws-lambda";

/** A stream record in the form that Lambda passes to a function. `streamArn` is the name the stack knows. */
export function lambdaRecord({ eventName, dynamodb = {} }: StreamRecord, streamArn: string): DynamoDBRecord {
  const { ApproximateCreationDateTime, ...images } = dynamodb;
  const record = {
    // dynoxide numbers each table's records from 1. The hash makes the id unique across streams, as in AWS.
    eventID: createHash("md5").update(`${streamArn} ${dynamodb.SequenceNumber}`).digest("hex"),
    eventName,
    eventVersion: "1.1",
    eventSource: "aws:dynamodb",
    awsRegion: streamArn.split(":")[3],
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(Number(ApproximateCreationDateTime ?? Date.now()) / 1000),
      ...images,
    },
    eventSourceARN: streamArn,
  };
  return record as DynamoDBRecord;
}
