import { afterEach, expect, test } from "vitest";
import { chanceOf } from "../../infra/local/demo/demo-chance.ts";
import { importParts } from "../../shared/table/counters.ts";
import type { Commit } from "../../shared/table/plans.ts";
import { createWriteBatches } from "../../shared/table/write-batches.ts";
import { useHeldItems } from "../support/faults/held-items.ts";
import { invoiceLine, timesheetLine } from "../support/records/records.ts";
import { write } from "../support/records/writes.ts";
import { usualFreshOrFull } from "../support/service/fresh-counts.ts";
import { useService } from "../support/service/service.ts";

useService();
const held = useHeldItems();
afterEach(() => held.end());

const records = 1_000;
const chance = chanceOf(1);
let lastId = 0;

/** Lines of records that are new, in a random order of companies and months. */
function linesOf(kind: "timesheet" | "invoice", companies: number, months: number): object[] {
  return Array.from({ length: records }, () => {
    lastId += 1;
    const company = chance.between(1, companies);
    const date = `2026-${String(chance.between(1, months)).padStart(2, "0")}-11`;
    return kind === "timesheet"
      ? timesheetLine(lastId, company, { date })
      : invoiceLine(lastId, company, { issued_date: date });
  });
}

/** The transactions and the writes in them that lines take which all wait before the first transaction. */
async function writingCost(lines: readonly object[]): Promise<{ transactions: number; actions: number }> {
  let [actions, planned] = [0, 0];
  const allPlanned = Promise.withResolvers<void>();
  const commitAll = createWriteBatches(importParts);
  const commit: Commit = async (writes, counts) => {
    planned += 1;
    if (planned === lines.length) allPlanned.resolve();
    await allPlanned.promise;
    return commitAll(writes, counts);
  };
  held.begin({
    leastMs: 0,
    mostMs: 0,
    rewrite: (write) => {
      actions += 1;
      return write;
    },
  });
  const outcomes = await Promise.all(lines.map((line) => write(line, { commit })));
  expect(new Set(outcomes)).toEqual(new Set(["created"]));
  return { transactions: held.figures.transactions, actions };
}

// A timesheet is one write, and an invoice four with its search entries. Each company is one counter, and each of its
// months another. Of a thousand companies some 632 are among a thousand lines.
const all = [
  { kind: "timesheet", companies: 1_000, months: 12, most: { transactions: 28, actions: 2_700 } },
  { kind: "timesheet", companies: 1, months: 1, most: { transactions: 12, actions: 1_030 } },
  { kind: "timesheet", companies: 1, months: 12, most: { transactions: 12, actions: 1_060 } },
  { kind: "invoice", companies: 1_000, months: 1, most: { transactions: 57, actions: 5_400 } },
  { kind: "invoice", companies: 1, months: 1, most: { transactions: 43, actions: 4_100 } },
  { kind: "timesheet", companies: 1_000, months: 1, most: { transactions: 25, actions: 2_400 } },
] as const;
test.each(
  all.slice(0, usualFreshOrFull(1, all.length, all.length)),
)(`an import of ${records} lines fills its transactions: $kind, companies $companies, months $months`, async ({
  kind,
  companies,
  months,
  most,
}) => {
  const { transactions, actions } = await writingCost(linesOf(kind, companies, months));
  expect(transactions).toBeLessThanOrEqual(most.transactions);
  expect(actions).toBeLessThanOrEqual(most.actions);
});
