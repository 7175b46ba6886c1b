import { test } from "vitest";
import { setTimesheetStates } from "../../../../shared/db/records/timesheets.ts";
import { putIf } from "../../../../shared/db/table/conditional-writes.ts";
import { recordKey } from "../../../../shared/db/table/item-keys.ts";
import { type CrashMoment, crashAt } from "../../../support/faults/crash.ts";
import { callerContext } from "../../../support/records/contexts.ts";
import { expectExactCounters } from "../../../support/records/exact-counters.ts";
import { invoiceLine, timesheetLine } from "../../../support/records/records.ts";
import { readItem, write } from "../../../support/records/writes.ts";
import { usualOrFull } from "../../../support/service/counts.ts";
import { fc } from "../../../support/service/properties.ts";
import { useService } from "../../../support/service/service.ts";
import { expectInvoices, expectTimesheets, invoiceStates, type Listed, timesheetStates } from "./list-model.ts";

/** CI asks for thousands; a run while developing for enough to notice. */
const runs = usualOrFull(10, 2_000, 20);
const sideBySide = 8;
const slot = fc.nat({ max: 2 });
const date = fc.constantFrom("2026-01-31", "2026-02-01", "2026-02-28");
const timesheetState = fc.constantFrom(...timesheetStates);

/** What changes a record. */
const change = fc.oneof(
  fc.record({
    does: fc.constant("invoice" as const),
    slot,
    company: fc.nat({ max: 1 }),
    state: fc.constantFrom(...invoiceStates),
    date,
    number: fc.constantFrom("INV-1", "INV-2", "B 7"),
    isClockBehind: fc.boolean(),
  }),
  fc.record({ does: fc.constant("timesheet" as const), slot, state: timesheetState, date }),
  fc.record({ does: fc.constant("move" as const), slot, state: timesheetState }),
  fc.record({ does: fc.constant("remove" as const), slot, type: fc.constantFrom("invoice" as const, "timesheet") }),
);

/** Who writes it may be killed; then it is written again. */
const step = fc.record({
  change,
  crashAt: fc.integer({ min: 1, max: 6 }),
  moment: fc.constantFrom<CrashMoment>("before", "after"),
});

type Value<A> = A extends fc.Arbitrary<infer T> ? T : never;
type Change = Value<typeof change>;
type Step = Value<typeof step>;

/** One history: what its records are. */
interface History {
  readonly base: number;
  readonly invoices: Map<number, Listed>;
  readonly timesheets: Map<number, Listed>;
}

let nextBase = 0;

useService();

test(`${runs} random histories of imports, updates, state changes and removals by writers that die and begin again end in the lists and totals of a model`, async () => {
  const history = fc.array(step, { minLength: 2, maxLength: 14 });
  const histories = fc.array(history, { minLength: sideBySide, maxLength: sideBySide });
  const property = fc.asyncProperty(histories, async (all) => void (await Promise.all(all.map(runHistory))));
  await fc.assert(property, { numRuns: Math.ceil(runs / sideBySide) });
  await expectExactCounters();
}, 3_600_000);

async function runHistory(steps: readonly Step[]): Promise<void> {
  nextBase += 10;
  const base = nextBase;
  const history: History = { base, invoices: new Map(), timesheets: new Map() };
  for (const { change, crashAt: n, moment } of steps) {
    const work = carryOut(change, history);
    if (await crashAt(n, moment, work).catch(requireKilled)) await repeat(work);
    keep(change, history);
    await expectHistory(history);
  }
}

/** Histories side by side share reads, so that the death of one writer fails the work of another. */
function requireKilled(error: unknown): true {
  if ((error as { code?: unknown }).code !== "ECONNRESET") throw error;
  return true;
}

/** Repeats work as its client does, until no other writer dies beside it. */
async function repeat(work: () => Promise<unknown>): Promise<void> {
  const wasKilled = await work().then(() => false, requireKilled);
  if (wasKilled) await repeat(work);
}

async function expectHistory({ base, invoices, timesheets }: History): Promise<void> {
  for (const company of [base, base + 1]) await expectInvoices(company, [...invoices.values()], "inv");
  await expectTimesheets(base, [...timesheets.values()]);
}

/** The writes of a change. */
function carryOut(each: Change, { base, invoices, timesheets }: History): () => Promise<unknown> {
  const id = base + each.slot;
  if (each.does === "invoice") {
    const { state, date, number } = each;
    const line = invoiceLine(id, base + each.company, { state, issued_date: date, number });
    const isBehind = each.isClockBehind && !invoices.has(id);
    return () => (isBehind ? writeBehind(line) : write(line));
  }
  if (each.does === "timesheet") {
    const { state, date } = each;
    return () => write(timesheetLine(id, base, { state, payment_state: state, date }));
  }
  if (each.does === "remove") return () => write({ type: each.type, id, deleted: true });
  const caller = { userId: 1, role: "operator", companyId: base, sessionId: "s" } as const;
  const isThere = timesheets.has(id);
  return async () => isThere && setTimesheetStates([id], base, each.state, callerContext(caller));
}

/** Carries a change out in the model. */
function keep(each: Change, { base, invoices, timesheets }: History): void {
  const id = base + each.slot;
  if (each.does === "remove") (each.type === "invoice" ? invoices : timesheets).delete(id);
  else if (each.does === "invoice") {
    const { state, date, number } = each;
    invoices.set(id, { id, companyId: base + each.company, state, date, number });
  } else {
    const known = timesheets.get(id);
    const date = each.does === "move" ? known?.date : each.date;
    if (date !== undefined) timesheets.set(id, { id, companyId: base, state: each.state, date });
  }
}

/** Writes a new record by a clock that is behind the revisions that its key has had. */
async function writeBehind(line: ReturnType<typeof invoiceLine>): Promise<void> {
  await write(line);
  const key = recordKey("INVOICE", line.id);
  await putIf({ Item: { ...(await readItem(key)), ...key, revision: 5 } });
}
