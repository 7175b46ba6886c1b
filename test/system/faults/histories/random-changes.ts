import { expect, test } from "vitest";
import { chunksOf } from "../../../../shared/batches.ts";
import { importParts } from "../../../../shared/db/writes/counters.ts";
import { createWriteBatches } from "../../../../shared/db/writes/write-batches.ts";
import { invoiceLine, jobLine, timesheetLine } from "../../../support/records/records.ts";
import { write } from "../../../support/records/writes.ts";
import { usualFreshOrFull } from "../../../support/service/fresh-counts.ts";
import { fc } from "../../../support/service/properties.ts";
import { useService } from "../../../support/service/service.ts";
import { expectCounts, expectPages, type Listed, type Lists, statesOf } from "./expect-lists.ts";

/** Of each half. A run while developing counts enough to notice; the gate of a fresh seed more. */
const changes = usualFreshOrFull(200, 10_000, 100_000);
const changesAtOnce = 100;
const checkedEvery = Math.min(5_000, changes);
const companies = [1, 2, 3, 4, 5];
const searched = ["2026-01", "7", "inv-2026-003"];
const numbers = Array.from({ length: 40 }, (_, at) => `INV-2026-${String(at).padStart(3, "0")}`);
/** Of each list: its days are dense. */
const slots = 600;
/** The lowest id. */
const base = 1_000_000_000;

/** Days of February and March. */
const date = fc.nat({ max: 58 }).map((day) => new Date(Date.UTC(2026, 1, 1 + day)).toISOString().slice(0, 10));
const values = {
  slot: fc.nat({ max: slots - 1 }),
  does: fc.constantFrom(...(["state", "state", "state", "date", "companyId", "number", "total", "remove"] as const)),
  companyId: fc.constantFrom(...companies),
  date,
  number: fc.constantFrom(...numbers),
};
const changeOf = (list: keyof Lists, inStates: readonly string[]) =>
  fc.record({ list: fc.constant(list), state: fc.constantFrom(...inStates), ...values });
const change = fc.oneof(
  { weight: 3, arbitrary: changeOf("INVOICES", statesOf.INVOICES) },
  { weight: 2, arbitrary: changeOf("TIMESHEETS", statesOf.TIMESHEETS) },
  { weight: 1, arbitrary: changeOf("JOBS", ["published"]) },
);
const round = fc.array(change, { minLength: changesAtOnce, maxLength: changesAtOnce, size: "max" });

/** A change of the record of a list at a slot; it makes one that is not there. */
type RandomChange = typeof change extends fc.Arbitrary<infer T> ? T : never;
type Model = Readonly<Record<keyof Lists, Map<number, Listed>>>;

/** Has vitest hold a half of the random changes against a model: two files are run side by side, each with a seed of its own. */
export function testRandomChanges(half: 1 | 2): void {
  useService();
  const name = `${changes} random changes of a dense list, in transactions of many and alone, make the figures of a model`;
  // The halves of neighbouring seeds have no cases in common.
  const seed = 2 * Number(fc.readConfigureGlobal().seed) + half;
  test(`${name}; half ${half}`, () => expectFigures(seed), 3_600_000);
}

async function expectFigures(seed: number): Promise<void> {
  const model: Model = { INVOICES: new Map(), TIMESHEETS: new Map(), JOBS: new Map() };
  const commit = createWriteBatches(importParts);
  let done = 0;
  const property = fc.asyncProperty(round, async (some) => {
    await writeAll(some, model, commit, done);
    done += some.length;
    if (done % checkedEvery === 0) await expectModel(model);
  });
  // What ran before is a part of each run: there is nothing to shrink.
  await fc.assert(property, { seed, numRuns: changes / changesAtOnce, endOnFailure: true });
  expect(done).toBe(changes);
}

async function expectModel({ INVOICES, TIMESHEETS, JOBS }: Model): Promise<void> {
  const [invoices, timesheets, jobs] = [INVOICES, TIMESHEETS, JOBS].map((records) => [...records.values()]);
  const lists = { INVOICES: invoices, TIMESHEETS: timesheets, JOBS: jobs } as Lists;
  await expectPages(lists, ["all", ...companies], searched);
  await expectCounts(lists, ["all", ...companies]);
}

/** Those of a record one after the other, half of the records as an import does, in shared transactions, and the others alone. */
async function writeAll(
  changes: readonly RandomChange[],
  model: Model,
  commit: ReturnType<typeof createWriteBatches>,
  written: number,
): Promise<void> {
  const byRecord = Map.groupBy([...changes.entries()], ([, { list, slot }]) => `${list} ${slot}`);
  const lines = [...byRecord.values()].map((some) => some.map(([at, each]) => lineOf(each, model, written + at)));
  const [together = [], alone = []] = chunksOf(lines, Math.ceil(lines.length / 2));
  const inTurn = async (some: readonly object[], context: Parameters<typeof write>[1]) => {
    for (const line of some) await write(line, context);
  };
  await Promise.all([...together.map((some) => inTurn(some, { commit })), ...alone.map((some) => inTurn(some, {}))]);
}

/** The line of a change, which the model has carried out; `total` is what no list goes by. */
function lineOf({ list, slot, does, ...values }: RandomChange, model: Model, total: number): object {
  const id = base + slot;
  const known = model[list].get(id);
  const lines = {
    INVOICES: ({ companyId, state, date, number }: Listed) =>
      invoiceLine(id, companyId, { state, issued_date: date, number, total: `${total}.00` }),
    TIMESHEETS: ({ companyId, state, date }: Listed) =>
      timesheetLine(id, companyId, { state, payment_state: state, date, total: `${total}.00` }),
    JOBS: ({ companyId }: Listed) => jobLine(id, companyId, { number: total + 1 }),
  };
  if (known && does === "remove") {
    model[list].delete(id);
    return { type: lines[list](known).type, id, deleted: true };
  }
  const changed = known && (does === "total" || does === "remove" ? known : { ...known, [does]: values[does] });
  const next = changed ?? { id, ...values };
  model[list].set(id, next);
  return lines[list](next);
}
