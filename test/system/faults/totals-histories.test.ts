import { expect, test } from "vitest";
import { updateTotals } from "../../../shared/db/lists/update-totals.ts";
import { reconcileTotals } from "../../../shared/db/reconcile/reconcile-totals.ts";
import { findInvoices } from "../../../shared/db/records/invoices.ts";
import { findTimesheets, setTimesheetStates } from "../../../shared/db/records/timesheets.ts";
import { recordKey } from "../../../shared/db/table/keys.ts";
import type { Key } from "../../../shared/db/table/table.ts";
import { type CrashMoment, crashAt } from "../../support/faults/crash.ts";
import { invoiceLine, timesheetLine } from "../../support/records/records.ts";
import { write } from "../../support/records/writes.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { fc } from "../../support/service/properties.ts";
import { useService } from "../../support/service/service.ts";

/** CI asks for thousands; a run while developing for enough to notice. */
const runs = usualOrFull(20, 2_000);
/** Histories that go on at the same time, and contend for the totals of all companies. */
const sideBySide = 8;
const invoiceStates = ["pending", "paid", "overdue"] as const;
const timesheetStates = ["pending", "paid"] as const;
const dates = ["2026-01-31", "2026-02-01", "2026-02-28"] as const;

type Step =
  | {
      readonly does: "invoice";
      slot: number;
      company: number;
      state: (typeof invoiceStates)[number];
      date: string;
      number: string;
    }
  | { readonly does: "timesheet"; slot: number; state: (typeof timesheetStates)[number]; date: string }
  | { readonly does: "move"; slot: number; state: (typeof timesheetStates)[number] }
  | { readonly does: "remove"; slot: number; type: "invoice" | "timesheet" }
  | { readonly does: "deliver"; slots: readonly number[]; crashAt: number; moment: CrashMoment; isAwaited: boolean };

const slot = fc.nat({ max: 2 });
const date = fc.constantFrom(...dates);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    does: fc.constant("invoice" as const),
    slot,
    company: fc.nat({ max: 1 }),
    state: fc.constantFrom(...invoiceStates),
    date,
    number: fc.constantFrom("INV-1", "INV-2", "B 7"),
  }),
  fc.record({ does: fc.constant("timesheet" as const), slot, state: fc.constantFrom(...timesheetStates), date }),
  fc.record({ does: fc.constant("move" as const), slot, state: fc.constantFrom(...timesheetStates) }),
  fc.record({
    does: fc.constant("remove" as const),
    slot,
    type: fc.constantFrom("invoice" as const, "timesheet" as const),
  }),
  fc.record({
    does: fc.constant("deliver" as const),
    slots: fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 6 }),
    crashAt: fc.integer({ min: 1, max: 9 }),
    moment: fc.constantFrom("before" as const, "after" as const),
    isAwaited: fc.boolean(),
  }),
);

interface Listed {
  readonly id: number;
  readonly companyId: number;
  readonly state: string;
  readonly date: string;
  readonly number?: string;
}

let nextBase = 0;

useService();

test(`${runs} random histories of imports, updates, state changes and removals, counted late, repeatedly, out of order and by consumers that die, end in the lists and totals of a model`, async () => {
  const history = fc.array(step, { minLength: 2, maxLength: 9 });
  const histories = fc.array(history, { minLength: sideBySide, maxLength: sideBySide });
  const property = fc.asyncProperty(histories, async (all) => void (await Promise.all(all.map(runHistory))));
  await fc.assert(property, { numRuns: Math.ceil(runs / sideBySide) });
  const { drifts, uncounted, unreadable } = await reconcileTotals();
  expect({ drifts, uncounted, unreadable }).toEqual({ drifts: [], uncounted: [], unreadable: [] });
}, 600_000);

async function runHistory(steps: readonly Step[]): Promise<void> {
  nextBase += 10;
  const base = nextBase;
  const invoices = new Map<number, Listed>();
  const timesheets = new Map<number, Listed>();
  const keys = keysFrom(base);
  const underWay: Promise<boolean>[] = [];
  for (const each of steps) {
    if (each.does === "deliver") {
      const delivered = each.slots.map((at) => keys[at] as Key);
      // What a killed consumer leaves is delivered again, here at the end.
      const delivery = crashAt(each.crashAt, each.moment, () => updateTotals(delivered, new Date()));
      underWay.push(delivery);
      if (each.isAwaited) await delivery;
    } else await change(each, base, invoices, timesheets);
  }
  // A consumer that was delayed may end after the one that got the last change.
  await Promise.all([...underWay, updateTotals(keys, new Date()), updateTotals(keys.toReversed(), new Date())]);
  await expectModel(base, [...invoices.values()], [...timesheets.values()]);
}

function keysFrom(base: number): Key[] {
  return [0, 1, 2].flatMap((at) => [recordKey("INVOICE", base + at), recordKey("TIMESHEET", base + at)]);
}

async function change(
  each: Exclude<Step, { does: "deliver" }>,
  base: number,
  invoices: Map<number, Listed>,
  timesheets: Map<number, Listed>,
): Promise<void> {
  const id = base + each.slot;
  if (each.does === "invoice") {
    const { state, date, number } = each;
    const companyId = base + each.company;
    await write(invoiceLine(id, companyId, { state, issued_date: date, number }));
    invoices.set(id, { id, companyId, state, date, number });
  } else if (each.does === "timesheet") {
    await write(timesheetLine(id, base, { state: each.state, payment_state: each.state, date: each.date }));
    timesheets.set(id, { id, companyId: base, state: each.state, date: each.date });
  } else if (each.does === "move") {
    const known = timesheets.get(id);
    if (!known) return;
    const caller = { userId: 1, role: "operator", companyId: base, sessionId: "s" } as const;
    await setTimesheetStates([id], base, each.state, caller, Promise.resolve());
    timesheets.set(id, { ...known, state: each.state });
  } else {
    await write({ type: each.type, id, deleted: true });
    (each.type === "invoice" ? invoices : timesheets).delete(id);
  }
}

async function expectModel(base: number, invoices: readonly Listed[], timesheets: readonly Listed[]): Promise<void> {
  const start = { limit: 20, skip: 0, beforeId: undefined };
  const range = { fromDate: "2026-02-01", toDate: "2026-02-28" };
  const inRange = ({ date }: Listed) => date >= range.fromDate && date <= range.toDate;
  for (const scope of [base, base + 1]) {
    const own = invoices.filter(({ companyId }) => companyId === scope);
    const filter = { scope, states: invoiceStates };
    await expectPage(findInvoices(filter, start), own);
    await expectPage(findInvoices({ ...filter, ...range }, start), own.filter(inRange));
    const found = own.filter(({ number }) => number !== "B 7");
    await expectPage(findInvoices({ ...filter, number: "inv" }, start), found);
  }
  for (const state of timesheetStates) {
    const own = timesheets.filter((each) => each.state === state);
    await expectPage(findTimesheets({ scope: base, states: [state] }, start), own);
    await expectPage(findTimesheets({ scope: base, states: [state], ...range }, start), own.filter(inRange));
  }
}

async function expectPage(
  reading: Promise<{ items: readonly { id: number }[]; total: number }>,
  wanted: readonly Listed[],
): Promise<void> {
  const { items, total } = await reading;
  const ids = wanted.map(({ id }) => id).sort((a, b) => b - a);
  expect({ ids: items.map(({ id }) => id), total }).toEqual({ ids, total: wanted.length });
}
