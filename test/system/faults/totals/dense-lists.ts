import { expect } from "vitest";
import { countDays, countList } from "../../../../shared/db/lists/totals.ts";
import { findInvoices } from "../../../../shared/db/records/invoices.ts";
import type { Scope } from "../../../../shared/domain/caller.ts";
import type { ListName } from "../../../../shared/domain/records/list-position.ts";
import { expectExactCounters } from "../../../support/records/exact-counters.ts";
import { fc } from "../../../support/service/properties.ts";
import type { Listed } from "./list-model.ts";
import type { RandomChange, RandomRecords } from "./random-records.ts";

const companies = [1, 2, 3, 4, 5];
const lists = ["INVOICES", "TIMESHEETS", "JOBS"] as const;
const states = ["pending", "paid", "overdue"] as const;
const numbers = Array.from({ length: 40 }, (_, at) => `INV-2026-${String(at).padStart(3, "0")}`);
/** Searches, and the numbers above that they find. */
const searched = { "2026-01": /-0(01|1.)$/, "7": /-007$/, "inv-2026-003": /-003$/ };
const top = { limit: 100, skip: 0, beforeId: undefined };
const date = fc.tuple(fc.constantFrom("2026-03", "2026-04"), fc.integer({ min: 1, max: 30 }));

/** A change of one of so many records of each list, whose days are dense. */
export function randomChange(slots: number): fc.Arbitrary<RandomChange> {
  const values = {
    slot: fc.nat({ max: slots - 1 }),
    does: fc.constantFrom(...(["state", "state", "state", "date", "companyId", "number", "total", "remove"] as const)),
    companyId: fc.constantFrom(...companies),
    date: date.map(([month, day]) => `${month}-${String(day).padStart(2, "0")}`),
    number: fc.constantFrom(...numbers),
  };
  const changeOf = (list: ListName, inStates: readonly string[]) =>
    fc.record({ list: fc.constant(list), state: fc.constantFrom(...inStates), ...values });
  return fc.oneof(
    { weight: 3, arbitrary: changeOf("INVOICES", states) },
    { weight: 2, arbitrary: changeOf("TIMESHEETS", ["pending", "paid"]) },
    { weight: 1, arbitrary: changeOf("JOBS", ["published"]) },
  );
}

/** Expects totals, counts of days, and searches by number to be those of the model, and everything counted. */
export async function expectModel(model: RandomRecords["model"]): Promise<void> {
  for (const list of lists) {
    const records = [...model[list].values()];
    for (const scope of ["all", ...companies] as const) {
      const own = records.filter(({ companyId }) => scope === "all" || companyId === scope);
      await expectTotals(list, scope, own);
      if (list === "INVOICES") await expectSearch(scope, own);
    }
  }
  await expectExactCounters();
}

async function expectTotals(list: ListName, scope: Scope, own: readonly Listed[]): Promise<void> {
  const ofList = list === "JOBS" ? ["published"] : states;
  for (const state of ofList) {
    const wanted = own.filter((each) => each.state === state).length;
    expect([list, scope, state, await countList({ list, scope, states: [state] })]).toEqual([
      list,
      scope,
      state,
      wanted,
    ]);
  }
  if (list === "JOBS") return;
  const days = Map.groupBy(own, (each) => `${each.date} ${each.state}`);
  const found = await countDays({ list, scope, states: list === "INVOICES" ? states : ["pending", "paid"] });
  const counts = found.map(({ date, state, count }) => [`${date} ${state}`, count]);
  expect(new Map(counts as [string, number][])).toEqual(new Map([...days].map(([name, { length }]) => [name, length])));
}

async function expectSearch(scope: Scope, own: readonly Listed[]): Promise<void> {
  for (const [number, found] of Object.entries(searched)) {
    const wanted = own.filter((each) => found.test(each.number ?? ""));
    const { items, total } = await findInvoices({ scope, states, number }, top);
    const ids = wanted.map(({ id }) => id).sort((a, b) => b - a);
    expect({ total, ids: items.map(({ id }) => id) }).toEqual({ total: ids.length, ids: ids.slice(0, top.limit) });
  }
}
