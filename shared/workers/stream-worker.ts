import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { queueMessages } from "../messages/queue.ts";
import { carryOut, count, faultFields, log, type Work } from "../run/log.ts";
import { settings } from "../run/settings.ts";
import { nameOfStreamRecord, readStreamRecord, requestOfStreamRecord, type StreamRecord } from "../table/entity.ts";
import { isTransientError } from "../table/retry.ts";
import { recordsOf } from "./expected-events.ts";
import { logEnd } from "./log-end.ts";

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
