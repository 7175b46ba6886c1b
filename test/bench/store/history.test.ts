import { beforeAll, describe, expect, inject, test } from "vitest";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";
import { keeps } from "../figures.ts";
import { historyMeasures, measureHistory, measureHistoryLists } from "./history.ts";

const [few, usual] = usualOrFull([500, 750], [1_000, 100_000]);
const many = Number(process.env.HISTORY_CHANGES ?? usual);

/** DynamoDB Local finds nothing for nothing. */
const leastReadUnits = inject("engineName") === "dynamodb-local" ? 0 : 0.5;

describe(`lists of changes, of ${few} that are kept and of ${many},`, () => {
  let lists: Awaited<ReturnType<typeof measureHistoryLists>>;

  useService();
  beforeAll(async () => {
    lists = await measureHistoryLists(few, many);
    if (process.env.SHOW_FIGURES) console.info(lists.map(({ name, few, many }) => ({ name, few, many })));
  }, 1_800_000);

  test("D41: units that the history takes for a change keep within their bars", async () => {
    const figures = await measureHistory();
    if (process.env.SHOW_FIGURES) console.info(figures);
    expect(figures.filter((figure) => !keeps(figure))).toEqual([]);
  }, 60_000);

  test.each(historyMeasures)("$name, keep within their bar, and cost the same", ({
    name,
    scope,
    mostReadUnits,
    mostTrips,
  }) => {
    const list = lists.find((each) => each.name === name);
    // Of an operator's company so many entries are read that few do not fill them: their bar alone holds.
    if (scope === undefined) expect(list?.many).toEqual(list?.few);
    expect(list?.many.writeUnits).toBe(0);
    expect(list?.many.readUnits).toBeGreaterThanOrEqual(leastReadUnits);
    expect(list?.many.readUnits).toBeLessThanOrEqual(mostReadUnits);
    expect(list?.many.sequentialTrips).toBeLessThanOrEqual(mostTrips);
  });
});
