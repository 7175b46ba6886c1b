import { keepHistory } from "../../../shared/db/history/keep-history.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";
import type { StreamRecord } from "../../../shared/db/table/stream-records.ts";
import type { Scope } from "../../../shared/domain/caller.ts";
import { type ChangeFilter, findChanges } from "../../../shared/history/find-changes.ts";
import { logChange } from "../../support/records/change-log.ts";
import { testChange } from "../../support/records/contexts.ts";
import { type Cost, costOf } from "../../support/records/costs.ts";
import { changeIdOf, type KeptChange, putHistory } from "../../support/records/history.ts";
import { invoiceLine, userLine } from "../../support/records/records.ts";
import { write } from "../../support/records/writes.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";
import type { Figure } from "../figures.ts";

/** A list of changes: what it may cost, whatever is kept. */
export interface HistoryMeasure {
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
export const historyMeasures: readonly HistoryMeasure[] = [
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

/** The costs of a list now. */
function costOfHistory({ filter, scope = "all", limit = 20 }: HistoryMeasure): Promise<Cost> {
  return costOf(() => findChanges(filter, scope, { limit, now }));
}

/** The costs of each list with so many changes, and with more. */
export async function measureHistoryLists(few: number, many: number) {
  await write(userLine(user.id, { financial_company_id: small }));
  await keepChanges(0, few);
  const ofFew = await measureAll();
  await keepChanges(few, many);
  const ofMany = await measureAll();
  return historyMeasures.map((measure) => ({ ...measure, few: costIn(ofFew, measure), many: costIn(ofMany, measure) }));
}

async function measureAll(): Promise<ReadonlyMap<string, Cost>> {
  const costs = new Map<string, Cost>();
  for (const measure of historyMeasures) costs.set(measure.name, await costOfHistory(measure));
  return costs;
}

function costIn(costs: ReadonlyMap<string, Cost>, { name }: HistoryMeasure): Cost {
  return costs.get(name) ?? { readUnits: Number.NaN, writeUnits: Number.NaN, sequentialTrips: Number.NaN };
}

const batch = usualFreshOrFull(20, 100, 100);
const firstId = 1_000_000_000;

/** Changes of a batch of invoices one after the other, each with who makes it and the write units that its history takes. */
const kindsOfChange = [
  { name: "new invoices of an import", by: "import#one", fields: {}, most: 0 },
  { name: "first changes after it", by: "user#7", fields: { state: "paid" }, most: 5 },
  { name: "changed states", by: "user#7", fields: { state: "pending" }, most: 4 },
  { name: "states that an event changed", by: "event#rota#1", fields: { state: "paid" }, most: 3 },
  { name: "removals", by: "event#rota#2", fields: { deleted: true }, most: 3 },
] as const;

/** The units that the history takes for a change. */
export async function measureHistory(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { name, by, fields, most } of kindsOfChange) {
    const change = testChange(by, "one");
    const changes: StreamRecord[] = [];
    for (let id = firstId; id < firstId + batch; id += 1) {
      const line = most === 0 ? invoiceLine(id, large) : { type: "invoice", id, ...fields };
      changes.push(...(await logChange(recordKey("INVOICE", id), () => write(line, { change }))));
    }
    const { writeUnits, readUnits } = await costOf(() => keepHistory(changes));
    const whole = `history of ${batch} ${name}`;
    figures.push({ name: `${whole}: write units each`, value: writeUnits / batch, unit: "", atMost: most });
    figures.push({ name: `${whole}: read units each`, value: readUnits / batch, unit: "", atMost: 0 });
  }
  return figures;
}
