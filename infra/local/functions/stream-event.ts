import { createHash } from "node:crypto";
import type { AttributeValue, _Record as StreamRecord } from "@aws-sdk/client-dynamodb-streams";
import type { DynamoDBRecord } from "aws-lambda";

/** A stream record in the form that Lambda passes to a function. `streamArn` is the name the stack knows. */
export function lambdaRecord({ eventName, dynamodb = {} }: StreamRecord, streamArn: string): DynamoDBRecord {
  const { ApproximateCreationDateTime, Keys, NewImage, OldImage, ...rest } = dynamodb;
  const record = {
    // dynoxide numbers each table's records from 1. The hash makes the id unique across streams, as in AWS.
    eventID: createHash("md5").update(`${streamArn} ${dynamodb.SequenceNumber}`).digest("hex"),
    eventName,
    eventVersion: "1.1",
    eventSource: "aws:dynamodb",
    awsRegion: streamArn.split(":")[3],
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(Number(ApproximateCreationDateTime ?? Date.now()) / 1000),
      ...(Keys && { Keys: jsonImage(Keys) }),
      ...(NewImage && { NewImage: jsonImage(NewImage) }),
      ...(OldImage && { OldImage: jsonImage(OldImage) }),
      SequenceNumber: rest.SequenceNumber,
      SizeBytes: rest.SizeBytes,
      StreamViewType: rest.StreamViewType,
    },
    eventSourceARN: streamArn,
  };
  return record as DynamoDBRecord;
}

type Image = Record<string, AttributeValue>;

function jsonImage(image: Image): Record<string, unknown> {
  return Object.fromEntries(Object.entries(image).map(([name, value]) => [name, jsonValue(value)]));
}

/** JSON has no bytes, so they become base64. */
function jsonValue(value: AttributeValue): unknown {
  if (value.B) return { B: base64(value.B) };
  if (value.BS) return { BS: value.BS.map(base64) };
  if (value.L) return { L: value.L.map(jsonValue) };
  if (value.M) return { M: jsonImage(value.M) };
  return value;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
