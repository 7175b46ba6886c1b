import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import * as v from "valibot";
import { beginChange } from "../contract/operation.ts";
import { Refusal } from "../contract/refusals.ts";
import { RecipientRefusedError } from "../messages/send.ts";
import { carryOut, count, faultFields, type LogFields, log, type Work } from "../run/log.ts";
import { settings } from "../run/settings.ts";
import type { WriteContext } from "../table/plans.ts";
import { recordsOf } from "./expected-events.ts";
import { logEnd } from "./log-end.ts";

type Processing<M> = (message: M, context: WriteContext) => Promise<unknown>;

type QueueHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/**
 * The handler of a queue's worker. It parses and processes each message. A failed message returns to the queue, and
 * after its last try goes to the dead letters, without blocking others. A message is done if a channel refuses its
 * recipient for good. Each message is work of its own, and of the request it names; without one it represents a request
 * itself.
 */
export function forQueue<S extends v.GenericSchema>(message: S, work: Processing<v.InferOutput<S>>): QueueHandler {
  return forQueueCalls(message, () => work);
}

/** As `forQueue`, if the messages of a call share something: `begin` returns the work of one call. */
export function forQueueCalls<S extends v.GenericSchema>(
  message: S,
  begin: () => Processing<v.InferOutput<S>>,
): QueueHandler {
  return async (event) => {
    const records = recordsOf(event, "aws:sqs");
    const work = begin();
    const outcomes = await Promise.all(records.map((record) => attempt(record, message, work)));
    return { batchItemFailures: outcomes.flatMap((failed) => (failed ? [{ itemIdentifier: failed }] : [])) };
  };
}

async function attempt<S extends v.GenericSchema>(
  { messageId, body, attributes }: SQSRecord,
  schema: S,
  work: Processing<v.InferOutput<S>>,
): Promise<string | undefined> {
  const operation = settings.operation();
  const received = Number(attributes?.ApproximateReceiveCount ?? 1);
  const read = readMessage(schema, body);
  const about = {
    operation,
    request_id: requestIdIn(read) ?? messageId,
    message_id: messageId,
    attempt: received > 1 ? received : undefined,
  };
  return carryOut(about, async () => {
    try {
      await logEnd(() => processMessage(read, (message) => work(message, contextOf(about))), {}, whyOf);
      return undefined;
    } catch {
      // The message's own log line has the cause.
      return messageId;
    }
  });
}

/** A message's changes are changes of the service, unless its worker names another author. */
function contextOf({ operation, request_id: request }: Work): WriteContext {
  return { now: new Date(), change: beginChange({ operation, request }) };
}

async function processMessage<M>(
  read: { readonly message: M } | undefined,
  work: (message: M) => Promise<unknown>,
): Promise<unknown> {
  if (!read) throw new Error("The message is malformed");
  try {
    return await work(read.message);
  } catch (error) {
    if (!(error instanceof RecipientRefusedError)) throw error;
    return reportRefused(error);
  }
}

/** Reports a refused recipient; a retry would not help. */
function reportRefused({ code }: RecipientRefusedError): void {
  log("warn", "recipient refused", { code });
  count("RecipientsRefused", {});
}

/** Waits for a message to be sent; a recipient that is refused for good is reported, and is served as well. */
export async function unlessRefused(sending: Promise<void>): Promise<void> {
  try {
    await sending;
  } catch (error) {
    if (!(error instanceof RecipientRefusedError)) throw error;
    reportRefused(error);
  }
}

/**
 * The cause of a failed message, with the invalid fields of a refused one. Names of fields come from the message and
 * may be anything, so only plain names are logged.
 */
function whyOf(thrown: unknown): LogFields {
  const fault = faultFields(thrown);
  if (!(thrown instanceof Refusal)) return fault;
  const plain = (pointer: string) => pointer.replaceAll(/[^/]+/g, (part) => (plainName.test(part) ? part : "?"));
  const faults = (thrown.facts.errors ?? []).map(({ pointer = "", code }) => `${plain(pointer)} ${code}`);
  return { ...fault, code: thrown.code, faults: faults.join(", ") };
}

const plainName = /^([a-z][a-z_-]{0,39}|__proto__|\d{1,3})$/;

/**
 * Returns undefined for malformed text. Parsers quote their input, which may contain a login, so their errors are
 * dropped.
 */
function readMessage<S extends v.GenericSchema>(schema: S, body: string): { message: v.InferOutput<S> } | undefined {
  try {
    return { message: v.parse(schema, JSON.parse(body)) };
  } catch {
    return undefined;
  }
}

/** The form of ids. Nothing else of a message may be logged. */
const idText = /^[\w=.-]{1,64}$/;

/** The id of the request, as the service itself put it into the message. */
function requestIdIn(read: { readonly message: unknown } | undefined): string | undefined {
  const { requestId } = (read?.message ?? {}) as { readonly requestId?: unknown };
  return typeof requestId === "string" && idText.test(requestId) ? requestId : undefined;
}
