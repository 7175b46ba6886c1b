import { beforeAll, describe, expect, test } from "vitest";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";
import { costOfSparseHistory, historyMeasures, measureHistoryLists } from "./history.ts";

const [few, usual] = usualOrFull([500, 750], [1_000, 100_000]);
const many = Number(process.env.HISTORY_CHANGES ?? usual);

describe(`lists of changes, of ${few} that are kept and of ${many},`, () => {
  let lists: Awaited<ReturnType<typeof measureHistoryLists>>;

  useService();
  beforeAll(async () => {
    lists = await measureHistoryLists(few, many);
    if (process.env.SHOW_FIGURES) console.info(lists.map(({ name, few, many }) => ({ name, few, many })));
  }, 1_800_000);

  test.each(historyMeasures)("$name, keep within their bar, and cost the same", ({
    name,
    mostReadUnits,
    mostTrips,
  }) => {
    const list = lists.find((each) => each.name === name);
    expect(list?.many).toEqual(list?.few);
    expect(list?.many.writeUnits).toBe(0);
    expect(list?.many.readUnits).toBeGreaterThan(0);
    expect(list?.many.readUnits).toBeLessThanOrEqual(mostReadUnits);
    expect(list?.many.sequentialTrips).toBeLessThanOrEqual(mostTrips);
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
