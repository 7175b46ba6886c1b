import { expect, test } from "vitest";
import { usualOrFull } from "../../../support/service/counts.ts";
import { fc } from "../../../support/service/properties.ts";
import { useService } from "../../../support/service/service.ts";
import { expectModel, randomChange } from "./dense-lists.ts";
import { createRandomRecords } from "./random-records.ts";

/** Of each half. A run while developing counts enough to notice; the gate of a fresh seed more. */
const changes = usualOrFull(200, 100_000, 10_000);
const changesAtOnce = 100;
const checkedEvery = Math.min(5_000, changes);

const round = fc.array(randomChange(600), { minLength: changesAtOnce, maxLength: changesAtOnce, size: "max" });

/** Has vitest hold a half of the random changes against a model: two files are run side by side, each with a seed of its own. */
export function testRandomChanges(half: 1 | 2): void {
  useService();
  const name = `${changes} random changes of a dense list, in transactions of many and alone, make the figures of a model`;
  test(`${name}; half ${half}`, () => expectFigures(seedOf(half)), 3_600_000);
}

/** The halves of neighbouring seeds have no cases in common. */
function seedOf(half: number): number {
  return 2 * Number(fc.readConfigureGlobal().seed) + half;
}

async function expectFigures(seed: number): Promise<void> {
  const records = createRandomRecords();
  let done = 0;
  const property = fc.asyncProperty(round, async (some) => {
    await records.write(some);
    done += some.length;
    if (done % checkedEvery === 0) await expectModel(records.model);
  });
  // What ran before is a part of each run: there is nothing to shrink.
  await fc.assert(property, { seed, numRuns: changes / changesAtOnce, endOnFailure: true });
  expect(done).toBe(changes);
}
