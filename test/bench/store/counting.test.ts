import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { expect, inject, test } from "vitest";
import { createTable } from "../../../infra/local/engine/local-table.ts";
import { expectExactTotals } from "../../support/records/exact-totals.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";
import { type Figure, keeps, reportFigures } from "../figures.ts";
import { measurePace, measureUnits } from "./counting.ts";

const service = useService();
const count = usualOrFull(100, 5_000);

function show(figures: readonly Figure[]): void {
  if (process.env.SHOW_FIGURES) reportFigures(figures, console.info);
}

test("units of a dense month keep within their bars, alone and in a batch", async () => {
  const figures = await measureUnits();
  show(figures);
  expect(figures.filter((figure) => !keeps(figure))).toEqual([]);
  await expectExactTotals();
}, 60_000);

// Shares of so few depend on what else the machine does: the benchmark asserts them.
test("what one consumer counts in a second is exact", async () => {
  const twin = `${service.tableName}-twin`;
  await createTable(new DynamoDBClient({}), inject("tableDefinition"), twin);
  const figures = await measurePace(count, twin);
  show(figures);
  expect(figures.every(({ value }) => value > 0)).toBe(true);
  await expectExactTotals();
}, 600_000);
