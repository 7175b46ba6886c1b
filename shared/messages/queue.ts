import { SendMessageBatchCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { busy } from "../contract/refusals.ts";
import { timestamp } from "../contract/values.ts";
import { sleep, spread } from "../run/backoff.ts";
import { currentWork, noteSent, type Sent } from "../run/log.ts";
import { requestQueueClient, workerQueueClient } from "./send.ts";

/** A value as JSON in ASCII, because some queues refuse characters that SQS takes, and SQS itself refuses a few. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A time in a message. */
export const messageTime = v.pipe(
  timestamp,
  v.transform((value) => new Date(value)),
);

/** The request that a message follows from. Without it, the request of the work that queues the message. */
export const requestIdField = v.optional(v.string());

/** Sends a message of a request to a queue, as JSON. After a lost answer it may be queued twice. */
export async function queueMessage(queueUrl: string, message: object): Promise<void> {
  await requestQueueClient().send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: toBody(message) }));
  noteSent("queued");
}

function toBody(message: object): string {
  return asciiJson({ requestId: currentWork()?.request_id, ...message });
}

/** SQS's limit of a batch. */
export const maxBatchMessages = 10;
/** Below SQS's limit of 256 KiB for a batch. */
const maxBatchBytes = 250_000;
/** The longest pauses after each attempt: SQS fails single messages for some milliseconds. The worker's own queue repeats the rest. */
const pausesMs = [100, 200, 400];

/**
 * Sends messages of a worker to a queue, as JSON, ten at a time. Refuses as `busy` if the queue keeps failing some, and
 * throws if it rejects one for good; others may have been sent by then.
 */
export async function queueMessages(queueUrl: string, messages: readonly object[]): Promise<void> {
  await Promise.all(batchesOf(messages).map((bodies) => sendBatch(queueUrl, bodies)));
}

function sendBatch(QueueUrl: string, bodies: readonly string[]): Promise<void> {
  return untilTaken("queued", bodies, async (open) => {
    const Entries = open.map((MessageBody, at) => ({ Id: String(at), MessageBody }));
    const { Failed = [] } = await workerQueueClient().send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    if (Failed.some(({ SenderFault }) => SenderFault)) throw new Error("The queue does not take such a message");
    return Failed.flatMap(({ Id }) => open[Number(Id)] ?? []);
  });
}

/**
 * Sends entries to a queue or bus, counts those that it takes, and repeats those that it refuses in a partial success;
 * `give` returns them. Refuses as `busy` if some stay refused.
 */
export async function untilTaken<T>(
  kind: Sent,
  entries: readonly T[],
  give: (open: readonly T[]) => Promise<readonly T[]>,
): Promise<void> {
  let open = entries;
  for (let attempt = 0; ; attempt += 1) {
    const refused = await give(open);
    noteSent(kind, open.length - refused.length);
    if (refused.length === 0) return;
    const longestMs = pausesMs[attempt];
    if (longestMs === undefined) throw busy("The queue or the bus does not accept more now");
    await sleep(spread(0, longestMs));
    open = refused;
  }
}

/** The messages as texts, in batches within the limits of one call. */
function batchesOf(messages: readonly object[]): string[][] {
  const batches: string[][] = [];
  let capacity = 0;
  for (const body of messages.map(toBody)) {
    const size = Buffer.byteLength(body);
    const last = batches.at(-1);
    if (last && last.length < maxBatchMessages && size <= capacity) last.push(body);
    else {
      batches.push([body]);
      capacity = maxBatchBytes;
    }
    capacity -= size;
  }
  return batches;
}
