import type { DynamoDBRecord } from "aws-lambda";
import { type Attributes, fromAttributes } from "./attributes.ts";
import type { Item, Key } from "./table.ts";

/** One change of the table, from its stream; delivered at least once. */
export interface TableChange {
  /** The same however often the change is delivered. */
  readonly eventId: string;
  readonly key: Key;
  /** The item before, undefined where there was none. */
  readonly before: Item | undefined;
  /** The item after, undefined where it was removed. */
  readonly after: Item | undefined;
  /** Seconds since 1970, as the stream says it; undefined in what no stream has delivered. */
  readonly createdAt?: number | undefined;
  /** Rises with each change of an item. */
  readonly sequence?: string | undefined;
  /** Id of the request that the change follows from, as far as the item says it; what removes an item says nothing. */
  readonly requestId?: string | undefined;
}

/** Reads a stream record; throws on one that is not of this table. */
export function readTableChange(record: DynamoDBRecord): TableChange {
  const { eventID, dynamodb } = record;
  const item = (image: unknown) => image && fromAttributes(image as Attributes);
  const key = item(dynamodb?.Keys) as Key | undefined;
  if (!eventID || !key) throw new Error("The stream record has no id or no key");
  const before = item(dynamodb?.OldImage) as Item | undefined;
  const after = item(dynamodb?.NewImage) as Item | undefined;
  const requestId = requestOfChange(record);
  const { ApproximateCreationDateTime: createdAt, SequenceNumber: sequence } = dynamodb ?? {};
  const written = { before, after, createdAt, sequence, requestId };
  return { eventId: eventID, key: { pk: String(key.pk), sk: String(key.sk) }, ...written };
}

/**
 * The request that a stream record's change follows from, as its item says it. Where the revision is the same, the item says it
 * of an earlier change.
 */
export function requestOfChange({ dynamodb }: DynamoDBRecord): string | undefined {
  const { OldImage, NewImage } = dynamodb ?? {};
  return OldImage?.revision?.N === NewImage?.revision?.N ? undefined : NewImage?.change?.M?.request?.S;
}

/** The partition and sort key that a stream record names, for people to look it up by; empty where it names none. */
export function nameOfChange({ dynamodb }: DynamoDBRecord): { pk: string; sk: string } {
  const { pk, sk } = dynamodb?.Keys ?? {};
  return { pk: pk?.S ?? "", sk: sk?.S ?? "" };
}
