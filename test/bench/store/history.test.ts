import { beforeAll, describe, expect, inject, test } from "vitest";
import { type ChangeFilter, findChanges } from "../../../functions/changes/find-changes.ts";
import { keepHistory } from "../../../functions/workers/write-history.ts";
import type { Scope } from "../../../shared/contract/operation.ts";
import type { StreamRecord } from "../../../shared/table/entity.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { logChange } from "../../support/records/change-log.ts";
import { testChange } from "../../support/records/contexts.ts";
import { type Cost, costOf } from "../../support/records/costs.ts";
import { changeIdOf, type KeptChange, putHistory } from "../../support/records/history.ts";
import { invoiceLine, userLine } from "../../support/records/records.ts";
import { write } from "../../support/records/writes.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";
import { useService } from "../../support/service/service.ts";

interface HistoryMeasure {
  readonly name: string;
  readonly filter: ChangeFilter;
  readonly scope?: Scope;
  readonly limit?: number;
  readonly mostReadUnits: number;
  readonly mostTrips: number;
}

const now = new Date("2026-05-01T12:00:00.000Z");
/** Changes that are kept of 400 days. HISTORY_CHANGES=1000000 takes a quarter of an hour. */
const ofAllDays = Number(process.env.HISTORY_CHANGES ?? 20_000);
const changesPerDay = ofAllDays / 400;
const msPerDay = 86_400_000;
/** Another company has one change in a hundred, and yet another one a single one. */
const [large, small, single] = [1, 2, 3];
const user = { by: "user#7", id: 7 };

/** The lists of 20 changes that have a bar, each with the names of those who made them. */
const historyMeasures: readonly HistoryMeasure[] = [
  { name: "of a record", filter: { record_type: "Timesheet", record_id: 1 }, mostReadUnits: 3.5, mostTrips: 2 },
  { name: "of a user", filter: { by_user: user.id }, mostReadUnits: 3.5, mostTrips: 2 },
  { name: "of a company", filter: { by_company: large }, mostReadUnits: 3.5, mostTrips: 2 },
  { name: "of a company with one change", filter: { by_company: single }, mostReadUnits: 1, mostTrips: 2 },
  { name: "of a company that has none", filter: { by_company: 4 }, mostReadUnits: 0.5, mostTrips: 1 },
  { name: "of one call", filter: { change_id: changeIdOf(1) }, mostReadUnits: 3.5, mostTrips: 2 },
  { name: "one change of a company", filter: { by_company: large }, limit: 1, mostReadUnits: 1, mostTrips: 2 },
  // An operator of a small company, who asks for a colleague that worked for others.
  {
    name: "of a user, for another company",
    filter: { by_user: user.id },
    scope: small,
    mostReadUnits: 25,
    mostTrips: 3,
  },
  // An operator of a large company, who asks for somebody that is not of it.
  {
    name: "of a user from elsewhere",
    filter: { by_user: 8 },
    scope: large,
    mostReadUnits: 25,
    mostTrips: 3,
  },
];

/** Keeps changes from one number up to another, the later ones earlier: one record and one user have half of them. */
async function keepChanges(from: number, to: number): Promise<void> {
  const atOnce = 1_000;
  for (let first = from; first < to; first += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, to - first) }, (_, at) => first + at);
    await putHistory(numbers.map(changeOf));
  }
}

function changeOf(number: number): KeptChange {
  const at = new Date(now.getTime() - (number * msPerDay) / changesPerDay).toISOString();
  const isUsual = number % 2 === 0;
  const company_id = number === 0 ? single : number % 100 === 99 ? small : large;
  return {
    id: isUsual ? 1 : number + 1,
    at,
    company_id,
    changeId: changeIdOf(isUsual ? 1 : 2),
    ...(isUsual && { by: user.by }),
  };
}

async function measureLists(): Promise<ReadonlyMap<string, Cost>> {
  const costs = new Map<string, Cost>();
  for (const { name, filter, scope = "all", limit = 20 } of historyMeasures)
    costs.set(name, await costOf(() => findChanges(filter, scope, { limit, now })));
  return costs;
}

const batch = usualFreshOrFull(20, 100, 100);
const firstId = 1_000_000_000;

/** Changes of a batch of invoices one after the other, each with who makes it and the write units that its history takes. */
const kindsOfChange = [
  { name: "new invoices of an import", by: "import#one", fields: undefined, most: 0 },
  { name: "first changes after it", by: "user#7", fields: { state: "paid" }, most: 5 },
  { name: "changed states", by: "user#7", fields: { state: "pending" }, most: 4 },
  { name: "states that an event changed", by: "event#rota#1", fields: { state: "paid" }, most: 3 },
  { name: "removals", by: "event#rota#2", fields: { deleted: true }, most: 3 },
] as const;

const [few, usual] = usualOrFull([500, 750], [1_000, 100_000]);
const many = Number(process.env.HISTORY_CHANGES ?? usual);

/** DynamoDB Local finds nothing for nothing. */
const leastReadUnits = inject("engineName") === "dynamodb-local" ? 0 : 0.5;

describe(`lists of changes, of ${few} that are kept and of ${many},`, () => {
  let [ofFew, ofMany]: ReadonlyMap<string, Cost>[] = [];

  useService();
  beforeAll(async () => {
    await write(userLine(user.id, { financial_company_id: small }));
    await keepChanges(0, few);
    ofFew = await measureLists();
    await keepChanges(few, many);
    ofMany = await measureLists();
    if (process.env.SHOW_FIGURES) console.info(ofFew, ofMany);
  }, 1_800_000);

  test("D41: units that the history takes for a change keep within their bars", async () => {
    for (const { name, by, fields, most } of kindsOfChange) {
      const change = testChange(by, "one");
      const changes: StreamRecord[] = [];
      for (let id = firstId; id < firstId + batch; id += 1) {
        const line = fields ? { type: "invoice", id, ...fields } : invoiceLine(id, large);
        changes.push(...(await logChange(recordKey("INVOICE", id), () => write(line, { change }))));
      }
      const { writeUnits, readUnits } = await costOf(() => keepHistory(changes));
      if (process.env.SHOW_FIGURES) console.info(name, writeUnits / batch);
      expect(writeUnits, name).toBeLessThanOrEqual(most * batch);
      expect(readUnits, name).toBe(0);
    }
  }, 60_000);

  test.each(historyMeasures)("$name, keep within their bar, and cost the same", ({
    name,
    scope,
    mostReadUnits,
    mostTrips,
  }) => {
    const cost = ofMany?.get(name);
    // Of an operator's company so many entries are read that few do not fill them: their bar alone holds.
    if (scope === undefined) expect(cost).toEqual(ofFew?.get(name));
    expect(cost?.writeUnits).toBe(0);
    expect(cost?.readUnits).toBeGreaterThanOrEqual(leastReadUnits);
    expect(cost?.readUnits).toBeLessThanOrEqual(mostReadUnits);
    expect(cost?.sequentialTrips).toBeLessThanOrEqual(mostTrips);
  });
});
