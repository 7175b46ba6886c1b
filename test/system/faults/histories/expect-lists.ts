import { expect } from "vitest";
import { countDays, countList } from "../../../../shared/db/lists/totals.ts";
import { findInvoices } from "../../../../shared/db/records/invoices.ts";
import { findJobs } from "../../../../shared/db/records/jobs.ts";
import { findTimesheets } from "../../../../shared/db/records/timesheets.ts";
import type { Scope } from "../../../../shared/domain/caller.ts";
import { isFoundBy, parseSearch } from "../../../../shared/domain/records/invoice-number.ts";
import { expectExactCounters } from "../../../support/records/exact-counters.ts";

/** A record of a model of the lists. */
export interface Listed {
  readonly id: number;
  readonly companyId: number;
  readonly state: string;
  readonly date: string;
  readonly number?: string;
}

/** The records of each list. */
export interface Lists {
  readonly INVOICES: readonly Listed[];
  readonly TIMESHEETS: readonly Listed[];
  readonly JOBS: readonly Listed[];
}

/** The states that records of models have. */
export const statesOf = { INVOICES: ["pending", "paid", "overdue"], TIMESHEETS: ["pending", "paid"] } as const;

const top = { limit: 100, skip: 0, beforeId: undefined };
const range = { fromDate: "2026-02-01", toDate: "2026-02-28" };
const inRange = ({ date }: Listed) => date >= range.fromDate && date <= range.toDate;

/** Expects the first pages of lists, with their totals, those of February 2026, and of searches by number. */
export async function expectPages(
  lists: Partial<Lists>,
  scopes: readonly Scope[],
  searched: readonly string[],
): Promise<void> {
  const pages = scopes.flatMap((scope) => {
    const { INVOICES, TIMESHEETS, JOBS } = lists;
    const isOwn = isWithin(scope);
    return [
      ...(INVOICES ? pagesOfInvoices(scope, INVOICES.filter(isOwn), searched) : []),
      ...(TIMESHEETS ? pagesOfTimesheets(scope, TIMESHEETS.filter(isOwn)) : []),
      ...(JOBS ? [expectPage(findJobs(scope, top), JOBS.filter(isOwn))] : []),
    ];
  });
  await Promise.all(pages);
}

function pagesOfInvoices(scope: Scope, own: readonly Listed[], searched: readonly string[]): Promise<void>[] {
  const filter = { scope, states: statesOf.INVOICES };
  return [
    expectPage(findInvoices(filter, top), own),
    expectPage(findInvoices({ ...filter, ...range }, top), own.filter(inRange)),
    ...searched.map((number) => {
      const search = parseSearch(number);
      const isFound = (each: Listed) => search !== undefined && isFoundBy(each.number ?? "", search);
      return expectPage(findInvoices({ ...filter, number }, top), own.filter(isFound));
    }),
  ];
}

function pagesOfTimesheets(scope: Scope, all: readonly Listed[]): Promise<void>[] {
  return statesOf.TIMESHEETS.flatMap((state) => {
    const own = all.filter((each) => each.state === state);
    const filter = { scope, states: [state] };
    return [
      expectPage(findTimesheets(filter, top), own),
      expectPage(findTimesheets({ ...filter, ...range }, top), own.filter(inRange)),
    ];
  });
}

async function expectPage(
  reading: Promise<{ items: readonly { id: number }[]; total: number }>,
  wanted: readonly Listed[],
): Promise<void> {
  const { items, total } = await reading;
  const ids = wanted.map(({ id }) => id).sort((a, b) => b - a);
  expect({ total, ids: items.map(({ id }) => id) }).toEqual({ total: ids.length, ids: ids.slice(0, top.limit) });
}

/** Expects the totals of each state and the counts of each day, and that all of the table is counted exactly. */
export async function expectCounts(lists: Lists, scopes: readonly Scope[]): Promise<void> {
  const expectTotal = async (list: keyof Lists, scope: Scope, state: string, wanted: readonly Listed[]) =>
    expect(await countList({ list, scope, states: [state] }), `${list} ${scope} ${state}`).toBe(wanted.length);
  const counts = scopes.flatMap((scope) => {
    const jobs = expectTotal("JOBS", scope, "published", lists.JOBS.filter(isWithin(scope)));
    const dated = (["INVOICES", "TIMESHEETS"] as const).flatMap((list) => {
      const own = lists[list].filter(isWithin(scope));
      const isIn = (state: string) => (each: Listed) => each.state === state;
      const totals = statesOf[list].map((state) => expectTotal(list, scope, state, own.filter(isIn(state))));
      return [...totals, expectDays(list, scope, own)];
    });
    return [jobs, ...dated];
  });
  await Promise.all([...counts, expectExactCounters()]);
}

async function expectDays(list: "INVOICES" | "TIMESHEETS", scope: Scope, own: readonly Listed[]): Promise<void> {
  const days = Map.groupBy(own, (each) => `${each.date} ${each.state}`);
  const found = await countDays({ list, scope, states: statesOf[list] });
  const counts = found.map(({ date, state, count }) => [`${date} ${state}`, count] as const);
  expect(new Map(counts)).toEqual(new Map([...days].map(([day, { length }]) => [day, length])));
}

function isWithin(scope: Scope) {
  return ({ companyId }: Listed) => scope === "all" || companyId === scope;
}
