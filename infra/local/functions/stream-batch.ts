import { setTimeout as pause } from "node:timers/promises";
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import type { LocalStreamMapping } from "../stack/event-sources.ts";

/** The function that takes a batch, and the callbacks for its progress. */
export interface BatchDelivery extends Pick<LocalStreamMapping, "reportsItemFailures"> {
  invoke(event: DynamoDBStreamEvent): Promise<unknown>;
  /** Called with the last record of each part that the function processed. */
  onDone(last: DynamoDBRecord): void;
  onFailure(error: unknown): void;
  stopping: AbortSignal;
}

const firstPauseMilliseconds = 100;
const longestPauseMilliseconds = 10_000;

/**
 * Calls the function until it has processed the whole batch, each time from the first failed record on. Unlike Lambda
 * it never gives up. Ends early, with the rest undone, if `stopping` is aborted.
 */
export async function deliverBatch(batch: readonly DynamoDBRecord[], delivery: BatchDelivery): Promise<void> {
  let left = batch;
  let failures = 0;
  while (left.length > 0 && !delivery.stopping.aborted) {
    const done = await attempt(left, delivery);
    if (done > 0) delivery.onDone(left[done - 1] as DynamoDBRecord);
    left = left.slice(done);
    failures = done > 0 ? 1 : failures + 1;
    if (left.length > 0) await pauseAfter(failures, delivery.stopping);
  }
}

/** The number of records, from the first on, that the function processed. */
async function attempt(records: readonly DynamoDBRecord[], delivery: BatchDelivery): Promise<number> {
  try {
    const answer = await delivery.invoke({ Records: [...records] });
    return delivery.reportsItemFailures ? firstFailed(answer, records) : records.length;
  } catch (error) {
    delivery.onFailure(error);
    return 0;
  }
}

/** The index of the first record that a function reports as failed. As in Lambda, an invalid answer fails all. */
function firstFailed(answer: unknown, records: readonly DynamoDBRecord[]): number {
  const failures = (answer as Partial<DynamoDBBatchResponse> | null)?.batchItemFailures ?? [];
  if (!Array.isArray(failures)) return 0;
  const named = failures.map((failure) =>
    records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failure?.itemIdentifier),
  );
  return Math.max(0, Math.min(records.length, ...named));
}

async function pauseAfter(failures: number, stopping: AbortSignal): Promise<void> {
  const milliseconds = Math.min(firstPauseMilliseconds * 2 ** Math.min(failures - 1, 10), longestPauseMilliseconds);
  await pause(milliseconds, undefined, { signal: stopping }).catch(() => {});
}
