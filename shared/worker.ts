import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSRecord,
} from "aws-lambda";
import * as v from "valibot";
import { Refusal } from "./contract/refusals.ts";
import { queueMessages } from "./messages/queue.ts";
import { RecipientRefusedError } from "./messages/send.ts";
import { beginChange } from "./run/change.ts";
import {
  carryOut,
  count,
  faultFields,
  type LogFields,
  log,
  sentSoFar,
  takeStartMilliseconds,
  uptimeMs,
  type Work,
} from "./run/log.ts";
import { settings } from "./run/settings.ts";
import { nameOfStreamRecord, readStreamRecord, requestOfStreamRecord, type StreamRecord } from "./table/entity.ts";
import type { WriteContext } from "./table/plans.ts";
import { isTransientError } from "./table/retry.ts";

/**
 * The records of an event. Throws an error that says what is expected if there is none, or one of another source, as in a
 * test event of the console: such an event must not pass for one that was processed.
 */
function recordsOf<R extends { readonly eventSource?: string }>(
  event: { readonly Records?: readonly R[] } | null,
  source: "aws:sqs" | "aws:dynamodb",
): readonly R[] {
  const records: unknown = event?.Records;
  if (Array.isArray(records) && records.length > 0 && records.every((each) => each?.eventSource === source)) {
    return records;
  }
  throw unexpected(`Records of ${source}`);
}

/** Throws for an event that is neither a schedule's nor empty, as in a call by a deploy or by a person. */
function requireScheduled(event: unknown): void {
  const isEmpty = event == null || (typeof event === "object" && Object.keys(event).length === 0);
  if (isEmpty || (event as { readonly "detail-type"?: unknown })["detail-type"] === "Scheduled Event") return;
  throw unexpected("the event of a schedule, or an empty one");
}

/** The error for an event that is not what the function is called with. */
function unexpected(expected: string): Error {
  return new Error(`${settings.operation()} expects ${expected}`);
}

/**
 * Runs a worker's work and logs its end in one line: `processed` with the fields that the work returns, or `fault` with
 * the cause, which is rethrown. Both lines have `about`.
 */
async function logEnd<T>(
  work: () => Promise<T>,
  about: LogFields = {},
  whyOf: (thrown: unknown) => LogFields = faultFields,
): Promise<T> {
  const startedAt = uptimeMs();
  const times = () => ({
    ...about,
    duration_ms: Math.round(uptimeMs() - startedAt),
    init_ms: takeStartMilliseconds(),
    ...sentSoFar(),
  });
  try {
    const done = await work();
    log("info", "processed", times());
    return done;
  } catch (error) {
    log("error", "fault", { ...times(), ...whyOf(error) });
    throw error;
  }
}

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

/** The handler of calls by a schedule or a deploy. It logs one line at the end; a fault is logged and rethrown for a retry. */
export function forSchedule<T>(
  work: (context: WriteContext) => Promise<T>,
): (event?: unknown, context?: Pick<Context, "awsRequestId">) => Promise<T> {
  return (event, context) => {
    const [operation, request] = [settings.operation(), context?.awsRequestId];
    const change = beginChange({ operation, request, by: `schedule#${operation}` });
    const run = async () => {
      requireScheduled(event);
      return work({ now: new Date(), change });
    };
    return carryOut({ operation, request_id: request }, () => logEnd(run));
  };
}

type Consume = (changes: readonly StreamRecord[], now: Date) => Promise<void>;

/**
 * The handler of a stream consumer. The work is given a batch in the stream's order and may be given any of it again. A
 * fault that passes gives the batch back to the stream; where the batch holds a change that cannot be taken, its changes
 * are processed one by one and that one is quarantined, so that it blocks no other. A batch is one piece of work, of the
 * requests that its changes follow from; so is each change of one that is processed one by one.
 */
export function forStream(work: Consume): (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse> {
  return async (event) => {
    const records = recordsOf(event, "aws:dynamodb");
    const batch = workOf(records);
    const about = { records: records.length };
    try {
      await carryOut(batch, () => logEnd(() => work(records.map(readStreamRecord), new Date()), about));
      return { batchItemFailures: [] };
    } catch (error) {
      if (isTransientError(error)) return failFrom(records[0]);
    }
    const failed = await workOneByOne(records, work);
    if (failed) return failFrom(failed);
    carryOut(batch, () => log("info", "processed", about));
    return { batchItemFailures: [] };
  };
}

/** Returns the record from which the stream must continue after a transient error; undefined if all are done. */
async function workOneByOne(records: readonly DynamoDBRecord[], work: Consume): Promise<DynamoDBRecord | undefined> {
  for (const record of records) {
    if (!(await carryOut(workOf([record]), () => workOrQuarantine(record, work)))) return record;
  }
  return undefined;
}

/** False if the record must be retried. */
async function workOrQuarantine(record: DynamoDBRecord, work: Consume): Promise<boolean> {
  const run = async () => work([readStreamRecord(record)], new Date());
  try {
    await run().catch((error) => quarantine(record, error));
    return true;
  } catch (error) {
    log("error", "fault", faultFields(error));
    return false;
  }
}

/** Quarantines a change unless its error is transient. */
async function quarantine(record: DynamoDBRecord, thrown: unknown): Promise<void> {
  if (isTransientError(thrown)) throw thrown;
  const { SequenceNumber: sequence } = record.dynamodb ?? {};
  await quarantineChange({ key: nameOfStreamRecord(record), eventId: record.eventID ?? "", sequence }, thrown);
}

/**
 * Quarantines a change, or something that follows from it and failed alone. The message names the change and the error,
 * without the item's content.
 */
export async function quarantineChange(
  { key, eventId, sequence = "" }: Pick<StreamRecord, "key" | "eventId" | "sequence">,
  thrown: unknown,
): Promise<void> {
  const operation = settings.operation();
  const fault = faultFields(thrown);
  const place = { eventId, sequenceNumber: sequence };
  const reason = [fault.error, fault.error_message].filter(Boolean).join(": ");
  await queueMessages(settings.quarantineQueueUrl(), [{ operation, ...key, ...place, reason }]);
  log("error", "quarantined", { event_id: eventId, sequence_number: sequence, reason, stack: fault.stack });
  count("StreamRecordsQuarantined", {});
}

/** The work of some records, with the requests that led to them. */
function workOf(records: readonly DynamoDBRecord[]): Work {
  const operation = settings.operation();
  const [request_id, ...others] = new Set(records.flatMap((record) => requestOfStreamRecord(record) ?? []));
  if (request_id === undefined || others.length === 0) return { operation, request_id };
  return { operation, request_ids: [request_id, ...others] };
}

/** The stream repeats from this record on. */
function failFrom(record: DynamoDBRecord | undefined): DynamoDBBatchResponse {
  return { batchItemFailures: [{ itemIdentifier: record?.dynamodb?.SequenceNumber ?? "" }] };
}
