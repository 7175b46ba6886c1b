import { isDeepStrictEqual } from "node:util";
import type { DynamoDBRecord } from "aws-lambda";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { handler } from "../../../../functions/workers/update-totals.ts";
import { countedPlaceKey, readCountedPlace } from "../../../../shared/db/lists/counted-places.ts";
import { isListedKind } from "../../../../shared/db/lists/list-keys.ts";
import { placeOfItem, revisionOf } from "../../../../shared/db/lists/listed-items.ts";
import { findWatermark, resizeWatermark } from "../../../../shared/db/lists/watermark.ts";
import type { TableChange } from "../../../../shared/db/table/table-changes.ts";
import { type CrashMoment, crashAt } from "../../../support/faults/crash.ts";
import { useFaultProxy } from "../../../support/faults/fault-proxy.ts";
import { shardsOf } from "../../../support/records/change-log.ts";
import { expectModel, randomChange } from "../../../support/records/dense-lists.ts";
import { createRandomRecords } from "../../../support/records/random-records.ts";
import { readItem } from "../../../support/records/writes.ts";
import { usualOrFull } from "../../../support/service/counts.ts";
import { fc } from "../../../support/service/properties.ts";
import { useService } from "../../../support/service/service.ts";
import { takeMessages } from "../../../support/workers/queues.ts";
import { streamRecord } from "../../../support/workers/workers.ts";

const minutes = usualOrFull(5, 60, 10);
/** Heartbeats by number; those of even numbers are in the first of two shards. */
const heartbeats = [0, 1, 2, 3];
const shards = 2;

/** A change with its stream record, and when it was written. */
interface Written extends TableChange {
  readonly record: DynamoDBRecord;
  readonly at: number;
}

/** A reading of both shards by a mapping: of so many records at once, killed at a call. */
const reading = fc.record({
  batch: fc.integer({ min: 1, max: 20 }),
  crashAt: fc.integer({ min: 1, max: 24 }),
  moment: fc.constantFrom<CrashMoment>("before", "after"),
});
const halfMinute = fc.record({
  changes: fc.array(randomChange(40), { maxLength: 6, size: "max" }),
  readings: fc.tuple(reading, reading),
});

useService();
// Its answers have no date: the clock of the test is not the engine's.
useFaultProxy();
beforeAll(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-05-10T12:00:00.000Z") }));
afterAll(() => void vi.useRealTimers());

test(`${minutes} minutes of mixed changes through two mappings, both killed now and then, are counted once, and the watermark is never ahead of them nor goes back`, async () => {
  const records = createRandomRecords();
  const stream: Written[][] = Array.from({ length: shards }, () => []);
  const mappings = [createMapping(stream), createMapping(stream)] as const;
  await resizeWatermark(heartbeats.length);
  let reached = 0;
  const property = fc.asyncProperty(halfMinute, async ({ changes, readings }) => {
    append(stream, await records.write(changes));
    pass(5_000);
    append(stream, heartbeats.map(heartbeatOf));
    pass(25_000);
    await Promise.all(mappings.map((mapping, at) => mapping.read(readings[at] ?? readings[0])));
    reached = await expectWatermark(stream, reached);
  });
  await fc.assert(property, { numRuns: minutes * 2, endOnFailure: true });
  for (const mapping of mappings) await mapping.readAll();
  await expectModel(records.model);
  expect(await findWatermark()).toEqual(new Date(Date.now() - 25_000));
  expect(await takeMessages("QUARANTINE_QUEUE_URL")).toEqual([]);
}, 600_000);

function pass(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds);
}

function append(stream: readonly Written[][], changes: readonly TableChange[]): void {
  for (const [at, some] of shardsOf(changes, shards).entries()) {
    const written = some.map((each) => ({
      ...each,
      record: streamRecord(each.key, each, each.eventId),
      at: Date.now(),
    }));
    stream[at]?.push(...written);
  }
}

function heartbeatOf(number: number): TableChange {
  const key = { pk: `HEARTBEAT#${number}`, sk: "HEARTBEAT" };
  const after = { ...key, begun_at: Date.now(), schema_version: 1 };
  return { eventId: crypto.randomUUID(), key, before: undefined, after };
}

/** One mapping of the stream: each shard in order; what it was killed at, or failed, comes again. */
function createMapping(stream: readonly (readonly Written[])[]) {
  const places = stream.map(() => 0);
  async function readShard(shard: number, { batch, crashAt: n, moment }: typeof lives): Promise<void> {
    const Records = (stream[shard] ?? [])
      .slice(places[shard], (places[shard] ?? 0) + batch)
      .map(({ record }) => record);
    let answer: Awaited<ReturnType<typeof handler>> | undefined;
    const wasKilled = await crashAt(n, moment, async () => {
      answer = await handler({ Records });
    });
    if (wasKilled || answer === undefined) return;
    const failed = answer.batchItemFailures[0]?.itemIdentifier;
    const done = Records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failed);
    places[shard] = (places[shard] ?? 0) + (failed === undefined ? Records.length : done);
  }
  return {
    async read(how: typeof lives): Promise<void> {
      await Promise.all(stream.map((_, shard) => readShard(shard, how)));
    },
    async readAll(): Promise<void> {
      while (stream.some(({ length }, shard) => (places[shard] ?? 0) < length)) await this.read(lives);
    },
  };
}

const lives = { batch: 100, crashAt: Number.POSITIVE_INFINITY, moment: "before" as CrashMoment };

/** Expects the watermark not before where it was, and not after a change that is not counted; gives it. */
async function expectWatermark(stream: readonly (readonly Written[])[], before: number): Promise<number> {
  const watermark = (await findWatermark())?.getTime() ?? 0;
  expect(watermark).toBeGreaterThanOrEqual(before);
  const passed = stream.flat().filter(({ at }) => at >= before && at < watermark);
  const uncounted = await Promise.all(passed.map(async (change) => ((await isCounted(change)) ? [] : [change])));
  expect(uncounted.flat().map(({ key }) => key.pk)).toEqual([]);
  return watermark;
}

/** True where the record is counted as the change left it, as a later one did, or as it is now. */
async function isCounted({ key, before, after }: Written): Promise<boolean> {
  const { sk } = key;
  if (!isListedKind(sk)) return true;
  const counted = readCountedPlace(await readItem(countedPlaceKey(key)));
  const revision = after ? revisionOf(after) : revisionOf(before) + 1;
  if ((counted?.record_revision ?? 0) >= revision) return true;
  return [after, await readItem(key)].some((item) => isDeepStrictEqual(placeOfItem(sk, item), counted?.place ?? null));
}
