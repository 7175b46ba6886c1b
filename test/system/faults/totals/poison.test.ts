import type { DynamoDBRecord } from "aws-lambda";
import { expect, test } from "vitest";
import { handler } from "../../../../functions/workers/keep-totals-and-history.ts";
import { reconcileTotals } from "../../../../shared/db/reconcile/reconcile-totals.ts";
import { countRecords } from "../../../../shared/db/reconcile/repair-totals.ts";
import type { StreamRecord } from "../../../../shared/db/table/stream-records.ts";
import { expectModel, randomChange } from "../../../support/records/dense-lists.ts";
import { createRandomRecords } from "../../../support/records/random-records.ts";
import { usualOrFull } from "../../../support/service/counts.ts";
import { fc } from "../../../support/service/properties.ts";
import { useService } from "../../../support/service/service.ts";
import { takeMessages } from "../../../support/workers/queues.ts";
import { streamRecord } from "../../../support/workers/workers.ts";

const changesOfDay = usualOrFull(60, 500, 120);
const hourMs = 3_600_000;

type RawRecord = NonNullable<DynamoDBRecord["dynamodb"]>;

/** What is wrong with the new image of an invoice. */
interface Poison {
  /** What the quarantine says; undefined where the change is counted all the same. */
  readonly reason?: RegExp;
  spoil(change: RawRecord): void;
  /** True where the table has it so: the next change of the record has it as its image before. */
  readonly isStored: boolean;
}

const withImage = (wrong: object) => (change: RawRecord) => void Object.assign(change.NewImage ?? {}, wrong);
const poisons: readonly Poison[] = [
  { reason: /An attribute is of an unknown type: Q/, spoil: withImage({ record: { Q: "?" } }), isStored: false },
  { reason: /has no id or no key/, spoil: (change) => void delete change.Keys, isStored: false },
  { reason: /state is not a text/, spoil: withImage({ record: { M: { number: { S: "X" } } } }), isStored: true },
  { reason: /company_id is not a whole number/, spoil: withImage({ company_id: { S: "1" } }), isStored: true },
  { spoil: withImage({ schema_version: { N: "99" } }), isStored: true },
];

const day = fc.record({
  changes: fc.array(randomChange(30), { minLength: changesOfDay, maxLength: changesOfDay, size: "max" }),
  /** Where the poisons are, in thousandths of the day. */
  places: fc.array(fc.nat({ max: 900 }), { minLength: poisons.length, maxLength: poisons.length }),
});

useService();

test(`a day of ${changesOfDay} changes with poison in it, and the same day again: what is not quarantined is counted`, async () => {
  const property = fc.asyncProperty(day, async ({ changes, places }) => {
    const records = createRandomRecords();
    const stream = await records.write(changes);
    const { delivered, wanted } = poison(stream, places);
    const keys = new Set([...wanted.keys()].map((at) => stream[at]?.key.pk));
    for (const _ of ["as it came", "again"]) {
      await deliverAll(delivered);
      expectReasons(wanted, (await takeMessages("QUARANTINE_QUEUE_URL")) as Quarantined[], delivered);
      const { drifts, uncounted, unreadable } = await reconcileTotals();
      expect({ drifts, unreadable }).toEqual({ drifts: [], unreadable: [] });
      expect(uncounted.filter(({ pk }) => !keys.has(pk))).toEqual([]);
    }
    await countRecords((await reconcileTotals()).uncounted, new Date());
    await expectModel(records.model);
  });
  await fc.assert(property, { numRuns: 1, endOnFailure: true });
}, 600_000);

/** The day's stream with the poisons in it, and what is to be quarantined, by its place in the stream. */
function poison(stream: readonly StreamRecord[], places: readonly number[]) {
  const delivered = stream.map((each) => streamRecord(each.key, each, each.eventId));
  const beganAt = Date.now() - 25 * hourMs;
  for (const [at, { dynamodb }] of delivered.entries()) {
    const createdAt = beganAt + (at / delivered.length) * 24 * hourMs;
    Object.assign(dynamodb ?? {}, { ApproximateCreationDateTime: Math.floor(createdAt / 1_000) });
  }
  const wanted = new Map<number, RegExp>();
  const taken = new Set<string>();
  for (const [turn, { reason, spoil, isStored }] of poisons.entries()) {
    const from = Math.floor(((places[turn] ?? 0) * stream.length) / 1_000);
    const at = stream.findIndex(({ key, after }, at) => at >= from && after && isFree(key.pk, taken));
    const [change, spoilt] = [stream[at], delivered[at]?.dynamodb];
    if (!change || !spoilt) throw new Error("The day has no invoice left to spoil");
    taken.add(change.key.pk);
    spoil(spoilt);
    if (reason) wanted.set(at, reason);
    const next = stream.findIndex((each, place) => place > at && each.key.pk === change.key.pk);
    if (!isStored || next === -1) continue;
    Object.assign(delivered[next]?.dynamodb ?? {}, { OldImage: spoilt.NewImage });
    if (reason) wanted.set(next, reason);
  }
  return { delivered, wanted };
}

function isFree(pk: string, taken: ReadonlySet<string>): boolean {
  return pk.startsWith("INVOICE#") && !taken.has(pk);
}

/** Delivers a stream as its mapping does: in batches, and again from where one failed. */
async function deliverAll(delivered: readonly DynamoDBRecord[]): Promise<void> {
  for (let at = 0, calls = 0; at < delivered.length; calls += 1) {
    if (calls > delivered.length) throw new Error("A batch fails however often it comes");
    const Records = delivered.slice(at, at + 100);
    const [failed] = (await handler({ Records })).batchItemFailures;
    const isFailed = ({ dynamodb }: DynamoDBRecord) => dynamodb?.SequenceNumber === failed?.itemIdentifier;
    at += failed ? Records.findIndex(isFailed) : Records.length;
  }
}

interface Quarantined {
  readonly sequenceNumber: string;
  readonly reason: string;
}

function expectReasons(
  wanted: ReadonlyMap<number, RegExp>,
  quarantined: readonly Quarantined[],
  delivered: readonly DynamoDBRecord[],
): void {
  const places = quarantined.map(({ sequenceNumber }) =>
    delivered.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === sequenceNumber),
  );
  expect(places.toSorted((a, b) => a - b)).toEqual([...wanted.keys()].sort((a, b) => a - b));
  for (const [turn, at] of places.entries()) expect(quarantined[turn]?.reason).toMatch(wanted.get(at) ?? /nothing/);
}
