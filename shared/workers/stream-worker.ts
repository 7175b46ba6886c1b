import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { nameOfChange, readTableChange, type TableChange } from "../db/table/table-changes.ts";
import { isTransientError } from "../db/table/transient-errors.ts";
import { faultFields, log } from "../logger.ts";
import { count } from "../metrics.ts";
import { settings } from "../settings.ts";
import { quarantine } from "./quarantine.ts";

/** A Lambda handler for a batch of the table's stream. */
export type StreamHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;

/**
 * The handler of a stream consumer. The work is given a batch in the stream's order and may be given any of it again. A
 * fault that passes gives the batch back to the stream; where the batch holds a change that cannot be taken, its changes
 * are processed one by one and that one is quarantined, so that it blocks no other.
 */
export function forStream(work: (changes: readonly TableChange[], now: Date) => Promise<void>): StreamHandler {
  return async ({ Records }) => {
    const fields = { operation: settings.operation(), records: Records.length };
    log("info", "started", fields);
    try {
      await work(Records.map(readTableChange), new Date());
      log("info", "processed", fields);
      return { batchItemFailures: [] };
    } catch (error) {
      log("error", "fault", { ...fields, ...faultFields(error) });
      count("Faults", { operation: fields.operation });
      return isTransientError(error) ? failFrom(Records[0]) : workOneByOne(Records, work);
    }
  };
}

async function workOneByOne(
  records: readonly DynamoDBRecord[],
  work: (changes: readonly TableChange[], now: Date) => Promise<void>,
): Promise<DynamoDBBatchResponse> {
  for (const record of records) {
    try {
      await workOrQuarantine(record, work);
    } catch (error) {
      const operation = settings.operation();
      log("error", "fault", { operation, ...faultFields(error) });
      count("Faults", { operation });
      return failFrom(record);
    }
  }
  return { batchItemFailures: [] };
}

async function workOrQuarantine(
  record: DynamoDBRecord,
  work: (changes: readonly TableChange[], now: Date) => Promise<void>,
): Promise<void> {
  try {
    await work([readTableChange(record)], new Date());
  } catch (error) {
    if (isTransientError(error)) throw error;
    const operation = settings.operation();
    const { error: name, error_message: message } = faultFields(error);
    const place = { eventId: record.eventID ?? "", sequenceNumber: record.dynamodb?.SequenceNumber ?? "" };
    const reason = [name, message].filter(Boolean).join(": ");
    await quarantine({ operation, ...nameOfChange(record), ...place, reason });
    log("error", "quarantined", { operation, event_id: place.eventId, sequence_number: place.sequenceNumber, reason });
    count("StreamRecordsQuarantined", {});
  }
}

/** The stream gives back this record and all after it. */
function failFrom(record: DynamoDBRecord | undefined): DynamoDBBatchResponse {
  return { batchItemFailures: [{ itemIdentifier: record?.dynamodb?.SequenceNumber ?? "" }] };
}
