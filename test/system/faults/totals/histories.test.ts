import { test } from "vitest";
import { countChanges, updateTotals } from "../../../../shared/db/lists/update-totals.ts";
import { readCompany } from "../../../../shared/db/reconcile/company-items.ts";
import { compare } from "../../../../shared/db/reconcile/reconcile-totals.ts";
import { countRecords, rewriteNumberEntries, rewriteTotals } from "../../../../shared/db/reconcile/repair-totals.ts";
import { setTimesheetStates } from "../../../../shared/db/records/timesheets.ts";
import { putIf } from "../../../../shared/db/table/conditional-writes.ts";
import { recordKey } from "../../../../shared/db/table/item-keys.ts";
import type { StreamRecord } from "../../../../shared/db/table/stream-records.ts";
import type { Key } from "../../../../shared/db/table/table.ts";
import { type CrashMoment, crashAt } from "../../../support/faults/crash.ts";
import { logChange, shardsOf } from "../../../support/records/change-log.ts";
import { callerContext } from "../../../support/records/contexts.ts";
import { expectExactTotals } from "../../../support/records/exact-totals.ts";
import {
  expectInvoices,
  expectTimesheets,
  invoiceStates,
  type Listed,
  timesheetStates,
} from "../../../support/records/list-model.ts";
import { invoiceLine, timesheetLine } from "../../../support/records/records.ts";
import { readItem, write } from "../../../support/records/writes.ts";
import { usualOrFull } from "../../../support/service/counts.ts";
import { fc } from "../../../support/service/properties.ts";
import { useService } from "../../../support/service/service.ts";

/** CI asks for thousands; a run while developing for enough to notice. */
const runs = usualOrFull(10, 2_000, 20);
/** Histories that go on at the same time, and contend for the totals of all companies. */
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
  fc.record({ does: fc.constant("remove" as const), slot, type: fc.constantFrom("invoice", "timesheet") }),
);

/** What counts changes: it may be killed, and what comes next may not wait for it. */
const death = { crashAt: fc.integer({ min: 1, max: 9 }), moment: fc.constantFrom<CrashMoment>("before", "after") };
const count = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("read" as const),
      /** Where in the log the reading begins, in tenths; a new mapping begins at 0. */
      from: fc.nat({ max: 9 }),
      changes: fc.integer({ min: 1, max: 12 }),
      shards: fc.integer({ min: 1, max: 3 }),
      batch: fc.integer({ min: 1, max: 6 }),
      isAwaited: fc.boolean(),
      ...death,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("keys" as const),
      slots: fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 6 }),
      isAwaited: fc.boolean(),
      ...death,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("repair" as const),
      company: fc.nat({ max: 1 }),
      isAwaited: fc.boolean(),
      ...death,
    }),
  },
);
const step = fc.oneof({ weight: 3, arbitrary: change }, { weight: 2, arbitrary: count });

type Value<A> = A extends fc.Arbitrary<infer T> ? T : never;
type Change = Value<typeof change>;
type Count = Value<typeof count>;
type Reading = Pick<Extract<Count, { does: "read" }>, "shards" | "batch" | "crashAt" | "moment">;

/** One history: its records, what the stream says of them, and its consumers. */
interface History {
  readonly base: number;
  readonly log: StreamRecord[];
  readonly invoices: Map<number, Listed>;
  readonly timesheets: Map<number, Listed>;
  /** Each gives the changes that it was killed at and after. */
  readonly underWay: Promise<readonly StreamRecord[]>[];
}

let nextBase = 0;

useService();

test(`${runs} random histories of imports, updates, state changes and removals, counted by their changes late, repeatedly, out of order, from the start and by consumers that die, beside repairs and counts by key, end in the lists and totals of a model`, async () => {
  const history = fc.array(step, { minLength: 2, maxLength: 14 });
  const histories = fc.array(history, { minLength: sideBySide, maxLength: sideBySide });
  const property = fc.asyncProperty(histories, async (all) => void (await Promise.all(all.map(runHistory))));
  await fc.assert(property, { numRuns: Math.ceil(runs / sideBySide) });
  await expectExactTotals();
}, 3_600_000);

async function runHistory(steps: readonly (Change | Count)[]): Promise<void> {
  nextBase += 10;
  const base = nextBase;
  const history: History = { base, log: [], invoices: new Map(), timesheets: new Map(), underWay: [] };
  for (const each of steps) {
    if (each.does === "read" || each.does === "keys" || each.does === "repair") {
      const counting = begin(each, history);
      history.underWay.push(counting);
      if (each.isAwaited) await counting;
    } else await carryOut(each, history);
  }
  await endInOrder(history);
  for (const company of [base, base + 1]) await expectInvoices(company, [...history.invoices.values()], "inv");
  await expectTimesheets(base, [...history.timesheets.values()]);
}

/** What killed consumers left comes again, and every change comes in order to one that lives; late ones may end after it. */
async function endInOrder({ log, underWay }: History): Promise<void> {
  const lives = { shards: 1, batch: 100, crashAt: Number.POSITIVE_INFINITY, moment: "before" } as const;
  const again = underWay.map(async (counting) => read(await counting, lives));
  await Promise.all([...again, read(log, { ...lives, batch: 4 }), read(log, { ...lives, shards: 2 })]);
}

function begin(each: Count, { base, log }: History): Promise<readonly StreamRecord[]> {
  const die = async (work: () => Promise<unknown>) => {
    await crashAt(each.crashAt, each.moment, work);
    return [];
  };
  if (each.does === "repair") return die(() => repair(base + each.company));
  if (each.does === "keys") return die(() => updateTotals(each.slots.map(keyAt(base)), new Date()));
  const from = Math.floor((log.length * each.from) / 10);
  return read(log.slice(from, from + each.changes), each);
}

/** Reads changes as a mapping does, its shards side by side, each in order; gives those that it was killed at and after. */
async function read(changes: readonly StreamRecord[], { shards, batch, crashAt: n, moment }: Reading) {
  const left = shardsOf(changes, shards).map(async (shard) => {
    for (let at = 0; at < shard.length; at += batch) {
      const work = () => countChanges(shard.slice(at, at + batch), new Date());
      if (await crashAt(n, moment, work)) return shard.slice(at);
    }
    return [];
  });
  return (await Promise.all(left)).flat();
}

/** As `npm run reconcile -- --company ID --repair` does, without the pauses that spare what is being counted. */
async function repair(companyId: number): Promise<void> {
  const [before, last] = [compare(await readCompany(companyId, [])), compare(await readCompany(companyId, []))];
  await countRecords(last.uncounted, new Date());
  await rewriteTotals(before, last);
  for (const { key, figure } of last.drifts) if (figure === "entries") await rewriteNumberEntries(key.pk, new Date());
}

function keyAt(base: number) {
  return (at: number): Key => recordKey(at % 2 ? "TIMESHEET" : "INVOICE", base + Math.floor(at / 2));
}

async function carryOut(each: Change, { base, log, invoices, timesheets }: History): Promise<void> {
  const id = base + each.slot;
  const [invoiceKey, timesheetKey] = [recordKey("INVOICE", id), recordKey("TIMESHEET", id)];
  if (each.does === "invoice") {
    const { state, date, number } = each;
    const companyId = base + each.company;
    const isBehind = each.isClockBehind && !invoices.has(id);
    const line = invoiceLine(id, companyId, { state, issued_date: date, number });
    log.push(...(await logChange(invoiceKey, () => (isBehind ? writeBehind(line) : write(line)))));
    invoices.set(id, { id, companyId, state, date, number });
  } else if (each.does === "timesheet") {
    const { state, date } = each;
    const line = timesheetLine(id, base, { state, payment_state: state, date });
    log.push(...(await logChange(timesheetKey, () => write(line))));
    timesheets.set(id, { id, companyId: base, state, date });
  } else if (each.does === "move") {
    const known = timesheets.get(id);
    if (!known) return;
    const caller = { userId: 1, role: "operator", companyId: base, sessionId: "s" } as const;
    const move = () => setTimesheetStates([id], base, each.state, callerContext(caller));
    log.push(...(await logChange(timesheetKey, move)));
    timesheets.set(id, { ...known, state: each.state });
  } else {
    const removal = () => write({ type: each.type, id, deleted: true });
    log.push(...(await logChange(each.type === "invoice" ? invoiceKey : timesheetKey, removal)));
    (each.type === "invoice" ? invoices : timesheets).delete(id);
  }
}

/** Writes a new record by a clock that is behind the revisions that its key has had. */
async function writeBehind(line: ReturnType<typeof invoiceLine>): Promise<void> {
  await write(line);
  const key = recordKey("INVOICE", line.id);
  await putIf({ Item: { ...(await readItem(key)), ...key, revision: 5 } });
}
