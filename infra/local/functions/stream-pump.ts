import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { matchesAny } from "../filter-patterns.ts";
import { type JsonFile, openJsonFile } from "../json-file.ts";
import type { LocalStreamMapping } from "../stack/event-sources.ts";
import { type BatchDelivery, deliverBatch } from "./stream-batch.ts";
import { lambdaRecord } from "./stream-event.ts";
import type { StreamPage, StreamPosition, TableStream } from "./table-stream.ts";

/** A function that consumes the stream, as its event source mapping defines it. */
export interface StreamConsumer {
  mapping: LocalStreamMapping;
  invoke(event: DynamoDBStreamEvent): Promise<unknown>;
}

/** The stream, its consumers, and the folder that keeps the position of each. */
export interface StreamPumpOptions {
  stream: TableStream;
  consumers: readonly StreamConsumer[];
  placesDirectory: string;
  /** Called if a batch fails as a whole or the stream cannot be read. Both are retried. */
  onFailure?(functionName: string, error: unknown): void;
}

/** A running pump. */
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
const quietTickMilliseconds = 200;
const quietAfterMilliseconds = 10_000;
const retryMilliseconds = 500;

/** Delivers the stream's records to every consumer, in order and at its own pace, until stopped. */
export function startStreamPump(options: StreamPumpOptions): StreamPump {
  const stopping = new AbortController();
  const runs = options.consumers.map((consumer) => openRun(consumer, options));
  const loops = runs.map((run) => runConsumer(run, options, stopping.signal));
  return {
    async settled(milliseconds) {
      const asked = performance.now();
      while (runs.some(({ emptyAt }) => emptyAt <= asked)) {
        const late = runs.filter(({ emptyAt }) => emptyAt <= asked).map(({ mapping }) => mapping.functionName);
        if (performance.now() > asked + milliseconds) throw new Error(`Still at work: ${late.join(", ")}.`);
        await pause(10);
      }
    },
    async stop() {
      stopping.abort();
      await Promise.all(loops);
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

async function runConsumer(run: Run, options: StreamPumpOptions, stopping: AbortSignal): Promise<void> {
  let lastWork = performance.now();
  while (!stopping.aborted) {
    try {
      const page = await options.stream.read(run.file.value.place);
      await deliverPage(page, run, options, stopping);
      if (page.records.length > 0) lastWork = performance.now();
      else {
        run.emptyAt = page.askedAt;
        await nextTick(performance.now() - lastWork > quietAfterMilliseconds, stopping);
      }
    } catch (error) {
      if (stopping.aborted) return;
      options.onFailure?.(run.mapping.functionName, error);
      await pause(retryMilliseconds, undefined, { signal: stopping }).catch(() => {});
    }
  }
}

async function deliverPage(
  { records, place }: StreamPage,
  run: Run,
  { onFailure }: StreamPumpOptions,
  stopping: AbortSignal,
): Promise<void> {
  const { mapping, invoke } = run;
  const shardId = place?.shardId ?? "";
  // Few records of an import pass the filters, and matching a record is faster than converting it.
  const { filters } = mapping;
  const matching = filters.length === 0 ? records : records.filter((record) => matchesAny(record, filters));
  const wanted = matching.map((record) => lambdaRecord(record, mapping.streamArn));
  const delivery: BatchDelivery = {
    reportsItemFailures: mapping.reportsItemFailures,
    invoke,
    stopping,
    onDone: ({ dynamodb }) => moveTo(run, { shardId, after: dynamodb?.SequenceNumber }),
    onFailure: (error) => onFailure?.(mapping.functionName, error),
  };
  for (const batch of inBatches(wanted, mapping.batchSize)) await deliverBatch(batch, delivery);
  if (!stopping.aborted) moveTo(run, place);
}

function moveTo({ file }: Run, place: StreamPosition | undefined): void {
  const { place: before } = file.value;
  if (before?.shardId === place?.shardId && before?.after === place?.after) return;
  file.value.place = place;
  file.save();
}

/** Waiting consumers look again at the same moments, so that they share the call. */
async function nextTick(isQuiet: boolean, stopping: AbortSignal): Promise<void> {
  const tick = isQuiet ? quietTickMilliseconds : tickMilliseconds;
  await pause(tick - (performance.now() % tick), undefined, { signal: stopping }).catch(() => {});
}

function inBatches(records: DynamoDBRecord[], size: number): DynamoDBRecord[][] {
  const starts = Array.from({ length: Math.ceil(records.length / size) }, (_, index) => index * size);
  return starts.map((start) => records.slice(start, start + size));
}
