import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import * as v from "valibot";
import { faultFields, log } from "../logger.ts";
import { settings } from "../settings.ts";

/** A Lambda handler for a batch of queue messages. */
export type QueueHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/**
 * The handler of a queue's worker: parses each message and works it off; those that fail go back to the queue, and after
 * its last try to the dead-letter queue, without holding up the others.
 */
export function forQueue<S extends v.GenericSchema>(
  message: S,
  work: (message: v.InferOutput<S>, now: Date) => Promise<void>,
): QueueHandler {
  return async ({ Records }) => {
    const outcomes = await Promise.all(Records.map((record) => attempt(record, message, work)));
    return { batchItemFailures: outcomes.flatMap((failed) => (failed ? [{ itemIdentifier: failed }] : [])) };
  };
}

async function attempt<S extends v.GenericSchema>(
  { messageId, body }: SQSRecord,
  schema: S,
  work: (message: v.InferOutput<S>, now: Date) => Promise<void>,
): Promise<string | undefined> {
  const fields = { operation: settings.operation(), message_id: messageId };
  log("info", "started", fields);
  try {
    await work(readMessage(schema, body), new Date());
    log("info", "worked off", fields);
    return undefined;
  } catch (error) {
    log("error", "fault", { ...fields, ...faultFields(error) });
    return messageId;
  }
}

/** Parsers quote what they were given, and a message may hold a login: only that it is malformed may be told. */
function readMessage<S extends v.GenericSchema>(schema: S, body: string): v.InferOutput<S> {
  try {
    return v.parse(schema, JSON.parse(body));
  } catch {
    throw new Error("The message is malformed");
  }
}
