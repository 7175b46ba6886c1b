import { expect } from "vitest";
import { findInvoices } from "../../../../shared/db/records/invoices.ts";
import { findTimesheets } from "../../../../shared/db/records/timesheets.ts";

/** A record of a model of the lists. */
export interface Listed {
  readonly id: number;
  readonly companyId: number;
  readonly state: string;
  readonly date: string;
  readonly number?: string;
}

/** The states that invoices of models have. */
export const invoiceStates = ["pending", "paid", "overdue"] as const;
/** The states that timesheets of models have. */
export const timesheetStates = ["pending", "paid"] as const;

const top = { limit: 20, skip: 0, beforeId: undefined };
const range = { fromDate: "2026-02-01", toDate: "2026-02-28" };
const inRange = ({ date }: Listed) => date >= range.fromDate && date <= range.toDate;

/** Expects a company's invoices in its list, in that of February 2026, and in the search by a start of their numbers. */
export async function expectInvoices(scope: number, invoices: readonly Listed[], start: string): Promise<void> {
  const own = invoices.filter(({ companyId }) => companyId === scope);
  const filter = { scope, states: invoiceStates };
  await expectPage(findInvoices(filter, top), own);
  await expectPage(findInvoices({ ...filter, ...range }, top), own.filter(inRange));
  const found = own.filter(({ number }) => number?.toLowerCase().startsWith(start));
  await expectPage(findInvoices({ ...filter, number: start }, top), found);
}

/** Expects a company's timesheets in the list of each state, and in that of February 2026. */
export async function expectTimesheets(scope: number, timesheets: readonly Listed[]): Promise<void> {
  for (const state of timesheetStates) {
    const own = timesheets.filter((each) => each.companyId === scope && each.state === state);
    await expectPage(findTimesheets({ scope, states: [state] }, top), own);
    await expectPage(findTimesheets({ scope, states: [state], ...range }, top), own.filter(inRange));
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
