import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import * as v from "valibot";
import { Refusal } from "../domain/refusal.ts";
import { faultFields, type LogFields, log } from "../logger.ts";
import { RecipientRefusedError } from "../messaging/recipient-refused.ts";
import { count } from "../metrics.ts";
import { settings } from "../settings.ts";

/**
 * The handler of a queue's worker: parses each message and processes it; those that fail go back to the queue, and after
 * its last try to the dead-letter queue, without blocking the others. One whose recipient a channel refuses for good is
 * taken.
 */
export function forQueue<S extends v.GenericSchema>(
  message: S,
  work: (message: v.InferOutput<S>, now: Date) => Promise<void>,
): (event: SQSEvent) => Promise<SQSBatchResponse> {
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
    log("info", "processed", fields);
    return undefined;
  } catch (error) {
    if (error instanceof RecipientRefusedError) {
      reportRefused(error);
      return undefined;
    }
    log("error", "fault", { ...fields, ...faultFields(error), ...refusalFields(error) });
    count("Faults", { operation: fields.operation });
    return messageId;
  }
}

/** Reports a recipient that takes no message: to try again changes nothing. */
export function reportRefused({ code }: RecipientRefusedError): void {
  log("warn", "recipient refused", { operation: settings.operation(), code });
  count("RecipientsRefused", {});
}

/** Why a message was refused: the code, and the fields at fault. A field's name is the message's text, and may be anything. */
function refusalFields(thrown: unknown): LogFields {
  if (!(thrown instanceof Refusal)) return {};
  const plain = (pointer: string) => pointer.replaceAll(/[^/]+/g, (part) => (plainName.test(part) ? part : "?"));
  const faults = (thrown.facts.errors ?? []).map(({ pointer = "", code }) => `${plain(pointer)} ${code}`);
  return { code: thrown.code, faults: faults.join(", ") };
}

const plainName = /^([a-z][a-z_-]{0,39}|\d{1,3})$/;

/** Parsers quote what they were given, and a message may hold a login: only that it is malformed may be logged. */
function readMessage<S extends v.GenericSchema>(schema: S, body: string): v.InferOutput<S> {
  try {
    return v.parse(schema, JSON.parse(body));
  } catch {
    throw new Error("The message is malformed");
  }
}
