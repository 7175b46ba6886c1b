import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBRecord } from "aws-lambda";
import type { StampedChange } from "./change-stamps.ts";
import type { Item, Key } from "./item-keys.ts";
import { isTombstone, liveItem } from "./tombstones.ts";

/** One change of the table from its stream, which delivers it at least once. */
export interface StreamRecord {
  /** Identical in each delivery of the change. */
  readonly eventId: string;
  readonly key: Key;
  /** The item before the change; undefined if there was none. */
  readonly before: Item | undefined;
  /** The item after the change; undefined if it was removed. */
  readonly after: Item | undefined;
  /** The change that removed the record, if its tombstone says it. */
  readonly removedBy?: StampedChange | undefined;
  /** The stream's time of the change in seconds since 1970; undefined if no stream delivered the change. */
  readonly createdAt?: number | undefined;
  /** Increases with each change of an item. */
  readonly sequence?: string | undefined;
  /** Id of the request that caused the change, if the item or its tombstone names one. */
  readonly requestId?: string | undefined;
}

/** Reads a stream record. Throws if it is not of this table. */
export function readStreamRecord(record: DynamoDBRecord): StreamRecord {
  const { eventID, dynamodb } = record;
  const key = itemOf(dynamodb?.Keys);
  if (!eventID || !key) throw new Error("The stream record has no id or no key");
  const [before, after] = [itemOf(dynamodb?.OldImage), itemOf(dynamodb?.NewImage)];
  const requestId = requestOfStreamRecord(record);
  const { ApproximateCreationDateTime: createdAt, SequenceNumber: sequence } = dynamodb ?? {};
  const written = { ...readImages(before, after), createdAt, sequence, requestId };
  return { eventId: eventID, key: { pk: String(key.pk), sk: String(key.sk) }, ...written };
}

/** Errors of the codec quote what they cannot read, which may be a secret. */
function itemOf(image: unknown): Item | undefined {
  try {
    return image === undefined ? undefined : unmarshall(image as Parameters<typeof unmarshall>[0]);
  } catch {
    throw new Error("The stream record has an image that cannot be read");
  }
}

/** The items before and after a change. A tombstone counts as no item; it says who removed the record. */
export function readImages(
  before: Item | undefined,
  after: Item | undefined,
): Pick<StreamRecord, "before" | "after" | "removedBy"> {
  const removedBy = after && isTombstone(after) ? after.change : undefined;
  return { before: liveItem(before), after: liveItem(after), ...(removedBy && { removedBy }) };
}

/**
 * The request that caused a stream record's change, as the item names it. If the revision did not change, the item
 * names the request of an earlier change.
 */
export function requestOfStreamRecord({ dynamodb }: DynamoDBRecord): string | undefined {
  const { OldImage, NewImage } = dynamodb ?? {};
  return OldImage?.revision?.N === NewImage?.revision?.N ? undefined : NewImage?.change?.M?.request?.S;
}

/** The partition and sort key of a stream record, so that people can look it up; empty texts if it has none. */
export function nameOfStreamRecord({ dynamodb }: DynamoDBRecord): { pk: string; sk: string } {
  const { pk, sk } = dynamodb?.Keys ?? {};
  return { pk: pk?.S ?? "", sk: sk?.S ?? "" };
}
