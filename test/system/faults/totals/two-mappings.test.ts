import type { DynamoDBRecord } from "aws-lambda";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { handler } from "../../../../functions/workers/keep-totals-and-history.ts";
import type { StreamRecord } from "../../../../shared/db/table/stream-records.ts";
import { type CrashMoment, crashAt } from "../../../support/faults/crash.ts";
import { useFaultProxy } from "../../../support/faults/fault-proxy.ts";
import { shardsOf } from "../../../support/records/change-log.ts";
import { expectModel, randomChange } from "../../../support/records/dense-lists.ts";
import { createRandomRecords } from "../../../support/records/random-records.ts";
import { usualOrFull } from "../../../support/service/counts.ts";
import { fc } from "../../../support/service/properties.ts";
import { useService } from "../../../support/service/service.ts";
import { takeMessages } from "../../../support/workers/queues.ts";
import { streamRecord } from "../../../support/workers/workers.ts";

const minutes = usualOrFull(5, 60, 10);
const shards = 2;

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

test(`${minutes} minutes of mixed changes through two mappings, both killed now and then, are counted once`, async () => {
  const records = createRandomRecords();
  const stream: DynamoDBRecord[][] = Array.from({ length: shards }, () => []);
  const mappings = [createMapping(stream), createMapping(stream)] as const;
  const property = fc.asyncProperty(halfMinute, async ({ changes, readings }) => {
    append(stream, await records.write(changes));
    pass(30_000);
    await Promise.all(mappings.map((mapping, at) => mapping.read(readings[at] ?? readings[0])));
  });
  await fc.assert(property, { numRuns: minutes * 2, endOnFailure: true });
  for (const mapping of mappings) await mapping.readAll();
  await expectModel(records.model);
  expect(await takeMessages("QUARANTINE_QUEUE_URL")).toEqual([]);
}, 600_000);

function pass(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds);
}

function append(stream: readonly DynamoDBRecord[][], changes: readonly StreamRecord[]): void {
  for (const [at, some] of shardsOf(changes, shards).entries()) {
    stream[at]?.push(...some.map((each) => streamRecord(each.key, each, each.eventId)));
  }
}

/** One mapping of the stream: each shard in order; what it was killed at, or failed, comes again. */
function createMapping(stream: readonly (readonly DynamoDBRecord[])[]) {
  const places = stream.map(() => 0);
  async function readShard(shard: number, { batch, crashAt: n, moment }: typeof lives): Promise<void> {
    const Records = (stream[shard] ?? []).slice(places[shard], (places[shard] ?? 0) + batch);
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
