import { expect, test } from "vitest";
import { useService } from "../../support/service/service.ts";
import { costOfSparseHistory } from "./history.ts";

useService();

test("with one change every third day the list by time reads shards that hold something, and no empty day", async () => {
  const { readUnits, sequentialTrips } = await costOfSparseHistory(100);
  expect(readUnits).toBeLessThanOrEqual(0.5 + 64 * 0.5 + 10 + 1);
  expect(sequentialTrips).toBeLessThanOrEqual(6);
});
