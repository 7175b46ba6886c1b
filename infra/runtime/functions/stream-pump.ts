import { createHash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { _Record as StreamRecord } from "@aws-sdk/client-dynamodb-streams";
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { type JsonFile, openJsonFile } from "../../support/json-file.ts";
import { matchesAny } from "../filter-patterns.ts";
import type { LocalStreamMapping } from "../stack/event-sources.ts";
import type { StreamPage, StreamPosition, TableStream } from "./table-stream.ts";
import { repeat, wait } from "./wait.ts";

/** A function that consumes the stream, as its event source mapping defines it. */
export interface StreamConsumer {
  mapping: LocalStreamMapping;
  /** Reports its errors itself. */
  invoke(event: DynamoDBStreamEvent): Promise<unknown>;
}

/** The stream, its consumers, and the folder that keeps the position of each. */
export interface StreamPumpOptions {
  stream: TableStream;
  consumers: readonly StreamConsumer[];
  placesDirectory: string;
  /** Called if the stream cannot be read. It is read again. */
  onFailure?: ((functionName: string, error: unknown) => void) | undefined;
}

export interface StreamPump {
  /** Waits until every consumer has processed all earlier writes. Throws after that many milliseconds. */
  settled(milliseconds: number): Promise<void>;
  /** Ends after the current batch; the next start continues from there. */
  stop(): Promise<void>;
}

interface SavedPosition {
  streamArn: string;
  place?: StreamPosition;
}

interface Run extends StreamConsumer {
  file: JsonFile<SavedPosition>;
  /** When the engine last answered that there is nothing more, by `performance.now()`. */
  emptyAt: number;
}

const tickMilliseconds = 100;
const firstPauseMilliseconds = 100;
const longestPauseMilliseconds = 10_000;

/** Delivers the stream's records to every consumer, in order and at its own pace, until stopped. */
export function startStreamPump(options: StreamPumpOptions): StreamPump {
  const runs = options.consumers.map((consumer) => openRun(consumer, options));
  const loops = runs.map((run) =>
    repeat(
      (stopping) => readOn(run, options, stopping),
      (error) => options.onFailure?.(run.mapping.functionName, error),
    ),
  );
  return {
    async settled(milliseconds) {
      const asked = performance.now();
      for (;;) {
        const late = runs.filter(({ emptyAt }) => emptyAt <= asked).map(({ mapping }) => mapping.functionName);
        if (late.length === 0) return;
        if (performance.now() > asked + milliseconds) throw new Error(`Still at work: ${late.join(", ")}.`);
        await pause(10);
      }
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

function openRun(consumer: StreamConsumer, { stream, placesDirectory }: StreamPumpOptions): Run {
  const path = join(placesDirectory, `${consumer.mapping.functionName}.json`);
  const file = openJsonFile<SavedPosition>(path, { streamArn: stream.arn });
  // A position in the stream of an earlier table is invalid.
  if (file.value.streamArn !== stream.arn) Object.assign(file.value, { streamArn: stream.arn, place: undefined });
  return { ...consumer, file, emptyAt: Number.NEGATIVE_INFINITY };
}

/** Delivers the next page, or waits for a moment if there is none yet. */
async function readOn(run: Run, { stream }: StreamPumpOptions, stopping: AbortSignal): Promise<void> {
  const page = await stream.read(run.file.value.place);
  await deliverPage(page, run, stopping);
  if (page.records.length > 0) return;
  run.emptyAt = page.askedAt;
  // Waiting consumers look again at the same moments, so that they share the call.
  await wait(tickMilliseconds - (performance.now() % tickMilliseconds), stopping);
}

async function deliverPage({ records, place }: StreamPage, run: Run, stopping: AbortSignal): Promise<void> {
  const { filters, streamArn, batchSize, bisects } = run.mapping;
  const shardId = place?.shardId ?? "";
  // Few records of an import pass the filters, and matching a record is faster than converting it.
  const matching = filters.length === 0 ? records : records.filter((record) => matchesAny(record, filters));
  let left = matching.map((record) => lambdaRecord(record, streamArn));
  let milliseconds = firstPauseMilliseconds;
  let size = batchSize;
  // Unlike Lambda it never gives up.
  while (left.length > 0 && !stopping.aborted) {
    const batch = left.slice(0, size);
    const done = await attempt(batch, run);
    if (done > 0) {
      moveTo(run, { shardId, after: batch[done - 1]?.dynamodb?.SequenceNumber });
      milliseconds = firstPauseMilliseconds;
    }
    size = done === 0 && bisects ? Math.ceil(batch.length / 2) : batchSize;
    left = left.slice(done);
    if (done === batch.length) continue;
    await wait(milliseconds, stopping);
    milliseconds = Math.min(2 * milliseconds, longestPauseMilliseconds);
  }
  if (!stopping.aborted) moveTo(run, place);
}

/** The number of records, from the first on, that the function processed. */
async function attempt(Records: DynamoDBRecord[], { mapping, invoke }: Run): Promise<number> {
  try {
    const answer = await invoke({ Records });
    return mapping.reportsItemFailures ? firstFailed(answer, Records) : Records.length;
  } catch {
    return 0;
  }
}

function moveTo({ file }: Run, place: StreamPosition | undefined): void {
  const { place: before } = file.value;
  if (before?.shardId === place?.shardId && before?.after === place?.after) return;
  file.value.place = place;
  file.save();
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

/** A stream record in the form that Lambda passes to a function. `streamArn` is the name the stack knows. */
function lambdaRecord({ eventName, dynamodb = {} }: StreamRecord, streamArn: string): DynamoDBRecord {
  const { ApproximateCreationDateTime, ...images } = dynamodb;
  const record = {
    // dynoxide numbers each table's records from 1. The hash makes the id unique across streams, as in AWS.
    eventID: createHash("md5").update(`${streamArn} ${dynamodb.SequenceNumber}`).digest("hex"),
    eventName,
    eventVersion: "1.1",
    eventSource: "aws:dynamodb",
    awsRegion: streamArn.split(":")[3],
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(Number(ApproximateCreationDateTime) / 1000),
      ...images,
    },
    eventSourceARN: streamArn,
  };
  return record as DynamoDBRecord;
}
