import { beforeAll, expect, test } from "vitest";
import { findInvoices } from "../../../../functions/finance/find-invoices.ts";
import { chanceOf } from "../../../../infra/local/demo/demo-chance.ts";
import { Refusal } from "../../../../shared/contract/refusals.ts";
import { findTimesheets, setTimesheetStates } from "../../../../shared/records/timesheets.ts";
import type { DateRange, FoundPage, PageStart } from "../../../../shared/run/paging.ts";
import { callerContext } from "../../../support/records/contexts.ts";
import { invoiceLine, timesheetLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { write } from "../../../support/records/writes.ts";
import { usualFreshOrFull } from "../../../support/service/fresh-counts.ts";
import { useService } from "../../../support/service/service.ts";
import { useLateIndexes } from "./late-indexes.ts";

const companies = [1, 2] as const;
const recordsEach = 60;
const days = 20;
const reads = usualFreshOrFull(50, 1_000, 5_000);
const payments = usualFreshOrFull(8, 30, 200);
const readers = 4;

useService();
const late = useLateIndexes();

const idOf = (company: number, at: number) => company * 1_000 + at;
const dateOf = (at: number) => `2026-0${4 + (at % 2)}-${String(1 + (at % days)).padStart(2, "0")}`;
const timesheet = (company: number, at: number) => timesheetLine(idOf(company, at), company, { date: dateOf(at) });
const invoice = (company: number, at: number) =>
  invoiceLine(idOf(company, at), company, { issued_date: dateOf(at), state: at % 3 ? "pending" : "paid" });

beforeAll(async () => {
  const places = companies.flatMap((company) => Array.from({ length: recordsEach }, (_, at) => [company, at] as const));
  await store(places.flatMap(([company, at]) => [timesheet(company, at), invoice(company, at)]));
});

/** Users who pay and take back, and other systems that change, remove and add records, until the reading has ended. */
async function writeUntil(isDone: () => boolean, seed: number): Promise<void> {
  const chance = chanceOf(seed);
  while (!isDone()) {
    const company = chance.pick([1, 2]);
    const at = chance.between(0, recordsEach - 1);
    const id = idOf(company, at);
    const does = chance.pick(["pay", "pay", "pay", "change", "move", "remove", "add"]);
    if (does === "pay") {
      const caller = { userId: 1, role: "operator", companyId: company, sessionId: "s" } as const;
      const ids = Array.from({ length: chance.between(1, 10) }, (_, next) => idOf(company, (at + next) % recordsEach));
      const state = chance.pick<"paid" | "pending">(["paid", "pending"]);
      await setTimesheetStates(ids, company, state, callerContext(caller)).catch(ignoreAbsent);
    } else if (does === "change") await write({ ...invoice(company, at), state: chance.pick(["paid", "pending"]) });
    else if (does === "move") await write({ ...invoice(company, at), issued_date: dateOf(chance.between(0, 99)) });
    else if (does === "remove") await write({ type: chance.pick(["timesheet", "invoice"]), id, deleted: true });
    else await write(chance.percent(50) ? timesheet(company, at) : invoice(company, at));
  }
}

/** A timesheet of a payment may have been removed. */
function ignoreAbsent(error: unknown): void {
  if (!(error instanceof Refusal) || error.code !== "records_not_found") throw error;
}

interface Read {
  readonly asked: string;
  readonly contradictions: readonly string[];
}

/** Reads a page by chance. */
async function readPage(chance: ReturnType<typeof chanceOf>): Promise<Read> {
  const scope = chance.pick<1 | 2 | "all">([1, 2, "all"]);
  const limit = chance.pick([5, 20]);
  const start: PageStart = { limit, skip: limit * chance.between(0, 5), beforeId: undefined };
  const range = chance.pick<DateRange>([
    {},
    { fromDate: "2026-04-01", toDate: "2026-05-31" },
    { fromDate: "2026-04-03", toDate: "2026-04-06" },
    { fromDate: "2026-05-01", toDate: "2026-05-31" },
  ]);
  const isInvoices = chance.percent(50);
  const states = chance.pick<("pending" | "paid")[]>([["pending"], ["paid"], ["pending", "paid"]]);
  const number = chance.pick([undefined, "INV-2026", "01"]);
  const filter = { scope, states, ...range, ...(isInvoices && { number }) };
  const page = await (isInvoices ? findInvoices(filter, start) : findTimesheets(filter, start));
  const asked = `${isInvoices ? "invoices" : "timesheets"} ${JSON.stringify(filter)}`;
  return { asked, contradictions: contradictionsOf(page, start) };
}

test(`of ${reads} pages that are read beside writers, while indexes show writes late, none contradicts itself`, async () => {
  await late.begin(1);
  let begun = 0;
  let open = readers;
  const read = async (_: unknown, reader: number) => {
    const chance = chanceOf(reader);
    const found: Read[] = [];
    for (; begun < reads; begun += 1) found.push(await readPage(chance));
    open -= 1;
    return found;
  };
  const [found] = await Promise.all([
    Promise.all(Array.from({ length: readers }, read)),
    writeUntil(() => open === 0, 17),
    writeUntil(() => open === 0, 18),
  ]);
  expect(found.flat().length).toBeGreaterThanOrEqual(reads);
  expect(found.flat().filter(({ contradictions }) => contradictions.length > 0)).toEqual([]);
}, 600_000);

/** A company whose timesheets only the payments of the test change. */
const steady = 3;

test(`a company's total is right in the next read after each of ${payments} payments, while indexes show them late`, async () => {
  const ids = Array.from({ length: recordsEach }, (_, at) => idOf(steady, at));
  await store(ids.map((_, at) => timesheet(steady, at)));
  await late.begin(2);
  const chance = chanceOf(2);
  const caller = { userId: 1, role: "operator", companyId: steady, sessionId: "s" } as const;
  const paid = new Set<number>();
  // A page of one does not know the end of its list, if some have been in the state for long.
  const start = { limit: 1, skip: 0, beforeId: undefined };
  const totalOf = async (states: readonly ("pending" | "paid")[]) =>
    (await findTimesheets({ scope: steady, states }, start)).total;
  for (let at = 0; at < payments; at += 1) {
    const some = ids.slice(10, 50).filter(() => chance.percent(20));
    const state = chance.pick<"paid" | "pending">(["paid", "pending"]);
    await setTimesheetStates(some, steady, state, callerContext(caller));
    for (const id of some) state === "paid" ? paid.add(id) : paid.delete(id);
    expect(await totalOf(["pending"])).toBe(recordsEach - paid.size);
    expect(await totalOf(["pending", "paid"])).toBe(recordsEach);
  }
  expect(late.missed()).toBeGreaterThan(0);
}, 600_000);

/** The contradictions of a page: its total, its rows and its link to more rows must be of one list. */
function contradictionsOf(
  { items, total, hasMore }: Pick<FoundPage<unknown>, "items" | "total" | "hasMore">,
  { limit, skip, beforeId }: PageStart,
): string[] {
  const found: string[] = [];
  const about = `${items.length} of ${limit} rows after ${skip}, total ${total}, ${hasMore ? "more" : "no more"}`;
  const check = (isWrong: boolean, text: string) => void (isWrong && found.push(`${text}: ${about}`));
  const shown = skip + items.length;
  check(hasMore && items.length < limit, "a page that is not full, with rows behind it");
  check(items.length > 0 && total < shown + (hasMore ? 1 : 0), "a total below what is shown");
  if (beforeId !== undefined) return found;
  check(items.length === 0 && total > skip, "an empty page, with rows behind it");
  check(items.length > 0 && !hasMore && total > shown, "the last page, and a total above it");
  return found;
}
