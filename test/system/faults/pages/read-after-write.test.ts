import { beforeAll, expect, test } from "vitest";
import { handler as updateHandler } from "../../../../functions/finance/bulk-update-timesheets.ts";
import { handler as listHandler } from "../../../../functions/finance/list-timesheets.ts";
import { chanceOf } from "../../../../infra/local/demo/demo-chance.ts";
import { importRecords } from "../../../../infra/tools/import/import-records.ts";
import { bulkUpdateTimesheets, listTimesheets } from "../../../../shared/contract/finance.ts";
import { callerLine, timesheetLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { call } from "../../../support/requests/call.ts";
import { usualFreshOrFull } from "../../../support/service/fresh-counts.ts";
import { useService } from "../../../support/service/service.ts";

const operator = { id: 2, role: "operator", company_id: 1 } as const;
const importer = { id: 3, role: "operator", company_id: 2 } as const;
const timesheets = 60;
const payments = usualFreshOrFull(8, 30, 200);
const imported = usualFreshOrFull(300, 1_000, 100_000);
const states = ["pending", "paid"] as const;

useService();
/** The state of each timesheet of the operator's company. */
const model = new Map<number, string>();
const dateOf = (id: number) => `2026-0${4 + (id % 2)}-${String(1 + (id % 28)).padStart(2, "0")}`;

beforeAll(async () => {
  for (let id = 1; id <= timesheets; id += 1) model.set(id, "pending");
  await store([
    callerLine(operator),
    callerLine(importer),
    ...[...model.keys()].map((id) => timesheetLine(id, 1, { date: dateOf(id) })),
  ]);
});

async function pay(ids: readonly number[], state: string): Promise<void> {
  const body = { timesheet: { timesheet_ids: ids, state } };
  expect((await call(updateHandler, bulkUpdateTimesheets, { as: operator, body })).status).toBe(200);
  for (const id of ids) model.set(id, state);
}

/** A list as it is answered: its ids and its total. */
async function list(query: Record<string, string>, as: typeof operator | typeof importer = operator) {
  const { status, headers, body } = await call(listHandler, listTimesheets, { as, query });
  expect(status).toBe(200);
  const ids: number[] = body.timesheets.map(({ id }: { id: number }) => id);
  return { ids, total: Number(headers.total) };
}

/** A payment of some timesheets by chance, and the state that they have then. */
async function payByChance(chance: ReturnType<typeof chanceOf>): Promise<"pending" | "paid"> {
  const ids = new Set(Array.from({ length: chance.between(1, 20) }, () => chance.between(1, timesheets)));
  const state = chance.pick(states as readonly ["pending", "paid"]);
  await pay([...ids], state);
  return state;
}

const wanted = (state: string, range?: { from_date: string; to_date: string }) =>
  [...model]
    .filter(
      ([id, each]) => each === state && (!range || (dateOf(id) >= range.from_date && dateOf(id) <= range.to_date)),
    )
    .map(([id]) => id)
    .sort((a, b) => b - a);

const may = { from_date: "2026-05-01", to_date: "2026-05-31" };
const days = { from_date: "2026-04-05", to_date: "2026-05-07" };

test(`in the very next answer after each of ${payments} payments, total and rows are those after it`, async () => {
  const chance = chanceOf(1);
  for (let at = 0; at < payments; at += 1) {
    await payByChance(chance);
    const range = chance.pick([undefined, may, days]);
    for (const state of states) {
      const all = wanted(state, range);
      const answer = await list({ by_state: state, per_page: "20", ...range });
      expect(answer).toEqual({ ids: all.slice(0, 20), total: all.length });
    }
  }
}, 60_000);

async function* linesOf(count: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < count; at += 1) {
    const id = 1_000_000 + at;
    yield Buffer.from(`${JSON.stringify(timesheetLine(id, importer.company_id, { date: dateOf(id) }))}\n`);
  }
}

test(`the next answer after an import of ${imported} timesheets has their number as total`, async () => {
  const { created } = await importRecords({ source: linesOf(imported), now: new Date() });
  expect(created).toBe(imported);
  expect((await list({}, importer)).total).toBe(imported);
  const inMay = Array.from({ length: imported }, (_, at) => dateOf(1_000_000 + at)).filter((date) => date >= "2026-05");
  expect((await list(may, importer)).total).toBe(inMay.length);
}, 1_800_000);
