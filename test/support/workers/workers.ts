import { marshall } from "@aws-sdk/util-dynamodb";
import type { AttributeValue, DynamoDBRecord, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { notificationKey } from "../../../shared/notifications/notifications.ts";
import type { Item, Key } from "../../../shared/table/table.ts";
import { queryPages } from "../../../shared/table/table.ts";
import { takeMessages } from "./queues.ts";

let lastSequence = 0;

/** A change as the table's stream delivers it; the event's id says which change it is, and is new unless it is given. */
export function streamRecord(
  key: Key,
  images: { readonly before?: Item | undefined; readonly after?: Item | undefined },
  eventID: string = crypto.randomUUID(),
): DynamoDBRecord {
  lastSequence += 1;
  const image = (item: Item | undefined) =>
    item && (marshall(item, { removeUndefinedValues: true }) as Record<string, AttributeValue>);
  const [OldImage, NewImage] = [image(images.before), image(images.after)];
  const dynamodb = {
    Keys: { pk: { S: key.pk }, sk: { S: key.sk } },
    SequenceNumber: String(lastSequence),
    ...(OldImage && { OldImage }),
    ...(NewImage && { NewImage }),
  };
  const eventName = OldImage ? (NewImage ? "MODIFY" : "REMOVE") : "INSERT";
  return { eventID, eventName, eventSource: "aws:dynamodb", dynamodb };
}

/** The answer of a worker that processed all of its batch. */
export const nothingFailed = { batchItemFailures: [] };

/** A batch of queue messages, named message-0 and so on; text is sent as it is, all else as JSON. */
export function queueEvent(...messages: readonly unknown[]): SQSEvent {
  const records = messages.map((message, at) => ({
    messageId: `message-${at}`,
    body: typeof message === "string" ? message : JSON.stringify(message),
    eventSource: "aws:sqs",
  }));
  return { Records: records } as SQSEvent;
}

/**
 * Drains a queue, ten messages a call, until nothing is left of what was there and what came of it; what fails comes
 * back at once. Gives the messages that were processed, in order. Gives up on one that keeps failing.
 */
export async function drain(
  setting: string,
  handler: (event: SQSEvent) => Promise<SQSBatchResponse>,
): Promise<unknown[]> {
  const done: unknown[] = [];
  let failures = 0;
  for (let waiting = await takeMessages(setting); waiting.length > 0; ) {
    const batch = waiting.splice(0, 10);
    const { batchItemFailures } = await handler(queueEvent(...batch));
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier.split("-")[1])));
    failures += failed.size;
    if (failures > 100) throw new Error("The queue's messages keep failing");
    done.push(...batch.filter((_, at) => !failed.has(at)));
    waiting.push(...batch.filter((_, at) => failed.has(at)));
    if (waiting.length === 0) waiting = await takeMessages(setting);
  }
  return done;
}

/** A user's notifications as they are stored, oldest first. */
export async function storedNotifications(userId: number): Promise<Item[]> {
  const items: Item[] = [];
  const pages = queryPages({
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :notification)",
    ExpressionAttributeValues: { ":pk": notificationKey(userId, 0).pk, ":notification": "NOTIFICATION#" },
    ConsistentRead: true,
  });
  for await (const page of pages) items.push(...page);
  return items;
}
