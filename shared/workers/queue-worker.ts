import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import * as v from "valibot";
import { Refusal } from "../domain/refusal.ts";
import { faultFields, type LogFields, log } from "../logger.ts";
import type { Delivery } from "../messaging/queue.ts";
import { RecipientRefusedError } from "../messaging/recipient-refused.ts";
import { count } from "../metrics.ts";
import { settings } from "../settings.ts";
import { carryOut } from "../work.ts";
import { logEnd } from "./log-end.ts";

/** What a work gives that has put its message off: it stays in the queue, and is no failure. */
export const later = Symbol("later");

type Processing<M> = (message: M, now: Date, delivery: Delivery) => Promise<unknown>;

/**
 * The handler of a queue's worker: parses each message and processes it; those that fail go back to the queue, and after
 * its last try to the dead-letter queue, without blocking the others. One whose recipient a channel refuses for good is
 * taken. Each message is work of its own, and of the request that it names; one that names none represents a request itself.
 */
export function forQueue<S extends v.GenericSchema>(
  message: S,
  work: Processing<v.InferOutput<S>>,
): (event: SQSEvent) => Promise<SQSBatchResponse> {
  return async ({ Records }) => {
    const outcomes = await Promise.all(Records.map((record) => attempt(record, message, work)));
    return { batchItemFailures: outcomes.flatMap((failed) => (failed ? [{ itemIdentifier: failed }] : [])) };
  };
}

async function attempt<S extends v.GenericSchema>(
  record: SQSRecord,
  schema: S,
  work: Processing<v.InferOutput<S>>,
): Promise<string | undefined> {
  const { messageId } = record;
  const operation = settings.operation();
  const delivery = deliveryOf(record);
  const { received } = delivery;
  const read = readMessage(schema, delivery.body);
  const about = {
    operation,
    request_id: requestIdIn(read) ?? messageId,
    message_id: messageId,
    attempt: received > 1 ? received : undefined,
  };
  return carryOut(about, async () => {
    try {
      const outcome = await logEnd(
        () => processMessage(read, (message, now) => work(message, now, delivery)),
        {},
        whyOf,
      );
      return outcome === later ? messageId : undefined;
    } catch {
      // Why is in its line.
      count("Faults", { operation });
      return messageId;
    }
  });
}

function deliveryOf({ body, receiptHandle, eventSourceARN = "", attributes }: SQSRecord): Delivery {
  return {
    queue: eventSourceARN.slice(eventSourceARN.lastIndexOf(":") + 1),
    receipt: receiptHandle,
    received: Number(attributes?.ApproximateReceiveCount ?? 1),
    queuedAt: new Date(Number(attributes?.SentTimestamp ?? Date.now())),
    body,
  };
}

async function processMessage<M>(
  read: { readonly message: M } | undefined,
  work: (message: M, now: Date) => Promise<unknown>,
): Promise<unknown> {
  if (!read) throw new Error("The message is malformed");
  try {
    return await work(read.message, new Date());
  } catch (error) {
    if (!(error instanceof RecipientRefusedError)) throw error;
    return reportRefused(error);
  }
}

/** Reports a recipient that takes no message: to try again changes nothing. */
export function reportRefused({ code }: RecipientRefusedError): void {
  log("warn", "recipient refused", { code });
  count("RecipientsRefused", {});
}

/** Why a message failed; of one that was refused the fields at fault, too. A field's name is the message's text, and may be anything. */
function whyOf(thrown: unknown): LogFields {
  const fault = faultFields(thrown);
  if (!(thrown instanceof Refusal)) return fault;
  const plain = (pointer: string) => pointer.replaceAll(/[^/]+/g, (part) => (plainName.test(part) ? part : "?"));
  const faults = (thrown.facts.errors ?? []).map(({ pointer = "", code }) => `${plain(pointer)} ${code}`);
  return { ...fault, code: thrown.code, faults: faults.join(", ") };
}

const plainName = /^([a-z][a-z_-]{0,39}|\d{1,3})$/;

/** Parsers quote what they were given, and a message may hold a login: of one that is malformed nothing is kept. */
function readMessage<S extends v.GenericSchema>(schema: S, body: string): { message: v.InferOutput<S> } | undefined {
  try {
    return { message: v.parse(schema, JSON.parse(body)) };
  } catch {
    return undefined;
  }
}

/** What ids look like, whoever made them: nothing else of a message may be logged. */
const idText = /^[\w=.-]{1,64}$/;

/** The request that the service itself named in the message that it sent. */
function requestIdIn(read: { readonly message: unknown } | undefined): string | undefined {
  const { requestId } = (read?.message ?? {}) as { readonly requestId?: unknown };
  return typeof requestId === "string" && idText.test(requestId) ? requestId : undefined;
}
