import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { LocalMapping } from "../stack/event-sources.ts";
import { repeat } from "./wait.ts";

/** One queue that feeds one function, as the stack's event source mapping defines it. */
export interface PumpOptions extends Pick<LocalMapping, "batchSize" | "reportsItemFailures"> {
  client: SQSClient;
  queueUrl: string;
  queueArn: string;
  /** Reports its errors itself. */
  invoke(event: SQSEvent): Promise<unknown>;
  /** Called if the queue cannot be read. It is read again. */
  onFailure?: ((error: unknown) => void) | undefined;
}

/**
 * Short, because `stop` waits for the receive call to end: fauxqs hands the next message even to a receiver that has
 * gone.
 */
const waitSeconds = 1;

/** Receives messages, invokes the function and deletes what succeeded, until it is stopped after a batch. */
export function startPump(options: PumpOptions): { stop(): Promise<void> } {
  return repeat(async () => {
    const messages = await receive(options);
    if (messages.length > 0) await deliver(options, messages);
  }, options.onFailure);
}

async function receive(options: PumpOptions): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: options.queueUrl,
    MaxNumberOfMessages: Math.min(options.batchSize, 10),
    WaitTimeSeconds: waitSeconds,
    MessageSystemAttributeNames: ["All"],
  });
  const { Messages = [] } = await options.client.send(command);
  return Messages;
}

async function deliver(options: PumpOptions, messages: Message[]): Promise<unknown> {
  const event: SQSEvent = { Records: messages.map((message) => record(message, options.queueArn)) };
  let answer: unknown;
  try {
    answer = await options.invoke(event);
  } catch {
    // The messages come back after their visibility timeout.
    return undefined;
  }
  const failed = options.reportsItemFailures ? failedIds(answer, messages) : new Set<string>();
  const done = messages.filter((message) => !failed.has(message.MessageId ?? ""));
  if (done.length === 0) return undefined;
  const entries = done.map((message, index) => ({ Id: String(index), ReceiptHandle: message.ReceiptHandle }));
  return options.client.send(new DeleteMessageBatchCommand({ QueueUrl: options.queueUrl, Entries: entries }));
}

/** The messages that a function reports as failed. As in Lambda, an invalid answer fails the whole batch. */
function failedIds(answer: unknown, messages: Message[]): Set<string> {
  const failures = (answer as Partial<SQSBatchResponse> | null)?.batchItemFailures ?? [];
  const all = new Set(messages.map((message) => message.MessageId ?? ""));
  if (!Array.isArray(failures)) return all;
  const named = failures.map((failure) => String(failure?.itemIdentifier));
  return named.every((id) => all.has(id)) ? new Set(named) : all;
}

function record(message: Message, queueArn: string): SQSRecord {
  return {
    messageId: message.MessageId ?? "",
    receiptHandle: message.ReceiptHandle ?? "",
    body: message.Body ?? "",
    attributes: message.Attributes as unknown as SQSRecord["attributes"],
    messageAttributes: {},
    md5OfBody: message.MD5OfBody ?? "",
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(":")[3] ?? "",
  };
}
