import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { ItemTooNewError } from "../db/table/entity.ts";
import { nameOfChange, readTableChange, type TableChange } from "../db/table/table-changes.ts";
import { isTransientError } from "../db/table/transient-errors.ts";
import { faultFields, log } from "../logger.ts";
import { queueMessages } from "../messaging/queue.ts";
import { count } from "../metrics.ts";
import { settings } from "../settings.ts";

type Work = (changes: readonly TableChange[], now: Date) => Promise<void>;

/** An item that is too new is one of a running deploy while its change is younger than this. */
const deployMs = 30 * 60_000;

/**
 * The handler of a stream consumer. The work is given a batch in the stream's order and may be given any of it again. A
 * fault that passes gives the batch back to the stream; where the batch holds a change that cannot be taken, its changes
 * are processed one by one and that one is quarantined, so that it blocks no other. A change of an item that is too new is
 * given back for half an hour, in which a deploy brings code that can read it, and then quarantined: after going back to
 * older code it would block its shard until the stream drops it.
 */
export function forStream(work: Work): (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse> {
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
      return mayPass(error, Records[0]) ? failFrom(Records[0]) : workOneByOne(Records, work);
    }
  };
}

async function workOneByOne(records: readonly DynamoDBRecord[], work: Work): Promise<DynamoDBBatchResponse> {
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

/** What is quarantined names the change, so that it can be found again, and what failed, without the item's content. */
async function workOrQuarantine(record: DynamoDBRecord, work: Work): Promise<void> {
  try {
    await work([readTableChange(record)], new Date());
  } catch (error) {
    if (mayPass(error, record)) throw error;
    const operation = settings.operation();
    const { error: name, error_message: message } = faultFields(error);
    const place = { eventId: record.eventID ?? "", sequenceNumber: record.dynamodb?.SequenceNumber ?? "" };
    const reason = [name, message].filter(Boolean).join(": ");
    await queueMessages(settings.quarantineQueueUrl(), [{ operation, ...nameOfChange(record), ...place, reason }]);
    log("error", "quarantined", { operation, event_id: place.eventId, sequence_number: place.sequenceNumber, reason });
    count("StreamRecordsQuarantined", {});
  }
}

/** True for an error that the same record may not meet again. In a batch the first record is the oldest. */
function mayPass(error: unknown, record: DynamoDBRecord | undefined): boolean {
  if (!(error instanceof ItemTooNewError)) return isTransientError(error);
  const createdAt = record?.dynamodb?.ApproximateCreationDateTime;
  return createdAt === undefined || Date.now() - createdAt * 1000 < deployMs;
}

/** The stream gives back this record and all after it. */
function failFrom(record: DynamoDBRecord | undefined): DynamoDBBatchResponse {
  return { batchItemFailures: [{ itemIdentifier: record?.dynamodb?.SequenceNumber ?? "" }] };
}
