import { expect, test } from "vitest";
import { countChanges } from "../../../shared/db/lists/update-totals.ts";
import type { StreamRecord } from "../../../shared/db/table/stream-records.ts";
import { usualOrFull } from "../service/counts.ts";
import { fc } from "../service/properties.ts";
import { useService } from "../service/service.ts";
import { expectModel, randomChange } from "./dense-lists.ts";
import { createRandomRecords } from "./random-records.ts";

/** Of each half. A run while developing counts enough to notice; the gate of a fresh seed more. */
const changes = usualOrFull(200, 100_000, 10_000);
const changesAtOnce = 100;
const checkedEvery = Math.min(5_000, changes);
/** How far back the windows reach that come again. */
const mostKept = 2_000;

const now = new Date("2026-05-10T12:00:00.000Z");

/** A stretch of what was delivered, in thousandths of what is kept, that comes again. */
const window = fc.record({ from: fc.nat({ max: 999 }), size: fc.integer({ min: 1, max: changesAtOnce }) });
const round = fc.record({
  changes: fc.array(randomChange(600), { minLength: changesAtOnce, maxLength: changesAtOnce, size: "max" }),
  /** Where the stream cuts its batches. */
  batch: fc.integer({ min: 1, max: changesAtOnce }),
  windows: fc.array(window, { maxLength: 2 }),
});

/** Has vitest hold a half of the random changes against a model: two files are run side by side, each with a seed of its own. */
export function testRandomChanges(half: 1 | 2): void {
  useService();
  const name = `${changes} random changes of a dense list, in the stream's batches and windows that come again, make the figures of a model`;
  test(`${name}; half ${half}`, () => expectFigures(seedOf(half)), 3_600_000);
}

/** The halves of neighbouring seeds have no cases in common. */
function seedOf(half: number): number {
  return 2 * Number(fc.readConfigureGlobal().seed) + half;
}

async function expectFigures(seed: number): Promise<void> {
  const records = createRandomRecords();
  const log: StreamRecord[] = [];
  let done = 0;
  const property = fc.asyncProperty(round, async ({ changes, batch, windows }) => {
    const fresh = await records.write(changes);
    log.push(...fresh);
    log.splice(0, log.length - mostKept);
    await deliver(
      fresh,
      batch,
      windows.map(({ from, size }) => sliceOf(log, from, size)),
    );
    done += changes.length;
    if (done % checkedEvery === 0) await expectModel(records.model);
  });
  // What ran before is a part of each run: there is nothing to shrink.
  await fc.assert(property, { seed, numRuns: changes / changesAtOnce, endOnFailure: true });
  expect(done).toBe(changes);
}

function sliceOf(log: readonly StreamRecord[], from: number, size: number): StreamRecord[] {
  const start = Math.floor((log.length * from) / 1_000);
  return log.slice(start, start + size);
}

/** A consumer in order, and beside it another that is given what is late. */
async function deliver(
  fresh: readonly StreamRecord[],
  batch: number,
  windows: readonly StreamRecord[][],
): Promise<void> {
  const inTurn = async (batches: readonly (readonly StreamRecord[])[]) => {
    for (const each of batches) await countChanges(each, now);
  };
  await Promise.all([inTurn([fresh.slice(0, batch), fresh.slice(batch)]), inTurn(windows)]);
}
