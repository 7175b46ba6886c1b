import { beforeAll, describe, expect, test } from "vitest";
import type { Cost } from "../../support/records/costs.ts";
import { expectExactCounters } from "../../support/records/exact-counters.ts";
import { useService } from "../../support/service/service.ts";
import { invoiceLines, type Order } from "./invoices.ts";
import { importLines } from "./load.ts";
import { invoiceMeasures, laterPage, measureAll } from "./measures.ts";

const minutes = 60_000;
const measures = [...invoiceMeasures, laterPage];

/** Tests that every call which has a bar keeps within it, at each of these sizes, and that flat ones cost the same at all. */
export function describeBars(order: Order, sizes: readonly number[]): void {
  describe(`invoices with ids ${order}`, () => {
    const costs = new Map<number, Map<string, Cost>>();

    describe.each(sizes)("%i of them", (count) => {
      useService();
      beforeAll(async () => {
        await importLines(invoiceLines(count, order));
        costs.set(count, await measureAll(measures, count));
      }, 5 * minutes);

      test("totals are exact", async () => {
        await expectExactCounters();
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

    const [small = 0, large = 0] = sizes;
    if (large > small) {
      test("undated lists cost the same at every size", () => {
        for (const { name } of measures.filter(({ isFlat }) => isFlat)) {
          expect(costs.get(large)?.get(name), name).toEqual(costs.get(small)?.get(name));
        }
      });
    }
  });
}
