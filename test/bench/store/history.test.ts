import { describe, expect, test } from "vitest";
import type { Cost } from "../../support/records/costs.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";
import { costOfHistory, costOfSparseHistory, historyMeasures, keepChanges } from "./history.ts";

const [few, many] = usualOrFull([500, 750], [1_000, 100_000]);

describe(`lists of changes, of ${few} that are kept and of ${many}`, () => {
  useService();
  const costs: { few: Cost; many: Cost }[] = [];

  test("are measured", async () => {
    await keepChanges(0, few);
    const ofFew = await measureAll();
    await keepChanges(few, many);
    const ofMany = await measureAll();
    for (const [at, cost] of ofFew.entries()) costs.push({ few: cost, many: ofMany[at] ?? cost });
    if (process.env.SHOW_FIGURES) console.info(historyMeasures.map(({ name }, at) => ({ name, ...costs[at] })));
  }, 1_800_000);

  test.each(
    historyMeasures.map((measure, at) => ({ ...measure, at })),
  )("$name: within its bar, and flat", (measure) => {
    const { few: ofFew, many: ofMany } = costs[measure.at] ?? {};
    expect(ofMany).toEqual(ofFew);
    expect(ofMany?.writeUnits).toBe(0);
    expect(ofMany?.readUnits).toBeGreaterThan(0);
    expect(ofMany?.readUnits).toBeLessThanOrEqual(measure.mostReadUnits);
    expect(ofMany?.sequentialTrips).toBeLessThanOrEqual(measure.mostTrips);
  });
});

describe("with one change every third day", () => {
  useService();

  test("the list by time reads shards that hold something, and no empty day", async () => {
    const { readUnits, sequentialTrips } = await costOfSparseHistory(100);
    expect(readUnits).toBeLessThanOrEqual(0.5 + 64 * 0.5 + 10 + 1);
    expect(sequentialTrips).toBeLessThanOrEqual(6);
  });
});

async function measureAll(): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (const measure of historyMeasures) costs.push(await costOfHistory(measure));
  return costs;
}
