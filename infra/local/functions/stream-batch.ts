import { setTimeout as pause } from "node:timers/promises";
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import type { LocalStreamMapping } from "../stack/event-sources.ts";
import type { AbandonReason } from "./abandoned-batch.ts";

/** How a batch reaches its function, and who is told of what becomes of it. */
export interface BatchDelivery {
  mapping: Pick<LocalStreamMapping, "reportsItemFailures" | "triedForSeconds" | "retries">;
  invoke(event: DynamoDBStreamEvent): Promise<unknown>;
  /** Told of the last record of each part that is done with. */
  onDone(last: DynamoDBRecord): void;
  onFailure(error: unknown): void;
  giveUp(records: readonly DynamoDBRecord[], why: { reason: AbandonReason; calls: number }): Promise<void>;
  stopping: AbortSignal;
}

const firstPauseMilliseconds = 100;
const longestPauseMilliseconds = 10_000;

/**
 * Calls the function with a batch until it has taken all of it, each time from the first record that failed on; gives up
 * what is too old or was tried too often. Ends early, with the rest not done, when it is told to stop.
 */
export async function deliverBatch(batch: readonly DynamoDBRecord[], delivery: BatchDelivery): Promise<void> {
  const { mapping, stopping } = delivery;
  let left = batch;
  let calls = 0;
  while (left.length > 0 && !stopping.aborted) {
    const oldest = Date.now() / 1000 - mapping.triedForSeconds;
    const tooOld = left.filter(({ dynamodb }) => (dynamodb?.ApproximateCreationDateTime ?? 0) < oldest);
    if (tooOld.length > 0) {
      await abandon(tooOld, { reason: "RecordAgeExceeded", calls }, delivery);
      left = left.slice(tooOld.length);
      continue;
    }
    const done = await attempt(left, delivery);
    calls = done > 0 ? 1 : calls + 1;
    if (done > 0) delivery.onDone(left[done - 1] as DynamoDBRecord);
    left = left.slice(done);
    if (left.length === 0) return;
    if (calls > mapping.retries) return abandon(left, { reason: "RetryAttemptsExhausted", calls }, delivery);
    await pauseAfter(calls, stopping);
  }
}

async function abandon(
  records: readonly DynamoDBRecord[],
  why: { reason: AbandonReason; calls: number },
  { giveUp, onDone }: BatchDelivery,
): Promise<void> {
  await giveUp(records, why);
  onDone(records.at(-1) as DynamoDBRecord);
}

/** How many records from the first on the function has taken. */
async function attempt(records: readonly DynamoDBRecord[], delivery: BatchDelivery): Promise<number> {
  try {
    const answer = await delivery.invoke({ Records: [...records] });
    return delivery.mapping.reportsItemFailures ? firstFailed(answer, records) : records.length;
  } catch (error) {
    delivery.onFailure(error);
    return 0;
  }
}

/** The index of the first record that a function names as failed; as in Lambda, an answer that makes no sense names all. */
function firstFailed(answer: unknown, records: readonly DynamoDBRecord[]): number {
  const failures = (answer as Partial<DynamoDBBatchResponse> | null)?.batchItemFailures ?? [];
  if (!Array.isArray(failures)) return 0;
  const named = failures.map((failure) =>
    records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failure?.itemIdentifier),
  );
  return Math.max(0, Math.min(records.length, ...named));
}

async function pauseAfter(calls: number, stopping: AbortSignal): Promise<void> {
  const milliseconds = Math.min(firstPauseMilliseconds * 2 ** Math.min(calls - 1, 10), longestPauseMilliseconds);
  await pause(milliseconds, undefined, { signal: stopping }).catch(() => {});
}
