import { beforeAll, describe, expect, inject, test } from "vitest";
import { reconcileTotals } from "../../shared/db/reconcile/reconcile-totals.ts";
import type { Cost } from "../support/records/costs.ts";
import { usualOrFull } from "../support/service/counts.ts";
import { useService } from "../support/service/service.ts";
import { invoiceLines, type Order } from "./store/invoices.ts";
import { importLines } from "./store/load.ts";
import { invoiceMeasures, laterPage, measureAll } from "./store/measures.ts";

const minutes = 60_000;
/** DynamoDB Local writes a fifth as fast: there one small run checks that both engines count alike. */
const isSlow = inject("engineName") === "dynamodb-local";
const sizes = isSlow ? [1_000] : [1_000, usualOrFull(3_000, 10_000)];
const orders: readonly Order[] = isSlow ? ["by date"] : ["by date", "shuffled", "back-dated"];
const measures = [...invoiceMeasures, laterPage];

describe.each(orders)("invoices with ids %s", (order) => {
  // Shuffled and back-dated ids matter to days, which a thousand invoices fill as well as more do.
  const measuredSizes = order === "by date" ? sizes : [1_000];
  const costs = new Map<number, Map<string, Cost>>();

  describe.each(measuredSizes)("%i of them", (count) => {
    useService();
    beforeAll(async () => {
      await importLines(invoiceLines(count, order), () => {});
      costs.set(count, await measureAll(measures, count));
    }, 5 * minutes);

    test("totals are exact", async () => {
      const { records, drifts, uncounted } = await reconcileTotals();
      expect({ records, drifts, uncounted }).toEqual({ records: count, drifts: [], uncounted: [] });
    });

    test.each(
      measures.filter((measure) => measure !== laterPage || order === "by date"),
    )("$name keeps within its bar", ({ name, mostReadUnits, mostTrips }) => {
      const cost = costs.get(count)?.get(name);
      expect(cost?.readUnits).toBeGreaterThan(0);
      expect(cost?.readUnits).toBeLessThanOrEqual(mostReadUnits);
      expect(cost?.sequentialTrips).toBeLessThanOrEqual(mostTrips);
      expect(cost?.writeUnits).toBe(0);
    });
  });

  const [small = 0, large = 0] = measuredSizes;
  if (large > small) {
    test("undated lists cost the same at every size", () => {
      for (const { name } of measures.filter(({ growth }) => growth === "flat")) {
        expect(costs.get(large)?.get(name), name).toEqual(costs.get(small)?.get(name));
      }
    });
  }
});
