import { expect } from "vitest";
import { findInvoices } from "../../../../functions/finance/find-invoices.ts";
import type { Scope } from "../../../../shared/contract/operation.ts";
import { findNotifications, findUnreadCounts } from "../../../../shared/notifications/notifications.ts";
import { findJobs } from "../../../../shared/records/jobs.ts";
import { isFoundBy, parseSearch } from "../../../../shared/records/numbers.ts";
import { findTimesheets } from "../../../../shared/records/timesheets.ts";
import { countDays, countList } from "../../../../shared/records/totals.ts";
import { expectExactCounters } from "../../../support/records/exact-counters.ts";
import type { Model, ModelNotification, ModelRecord, UserModel } from "./model.ts";
import type { World } from "./world.ts";

/** The states that dated records of models have. */
export const statesOf = { INVOICES: ["pending", "paid", "overdue"], TIMESHEETS: ["pending", "paid"] } as const;

const kindOf = { INVOICES: "INVOICE", TIMESHEETS: "TIMESHEET", JOBS: "JOB" } as const;
const top = { limit: 100, skip: 0, beforeId: undefined };
const range = { fromDate: "2026-02-01", toDate: "2026-02-28" };
const inRange = ({ date }: ModelRecord) => date >= range.fromDate && date <= range.toDate;

function recordsOf({ records }: Model, list: keyof typeof kindOf, scope: Scope): ModelRecord[] {
  return [...records[kindOf[list]].values()].filter(({ companyId }) => scope === "all" || companyId === scope);
}

/**
 * Expects the first pages of the companies' lists of which records have changed since the last call, with their totals,
 * those of February 2026, and of searches by number.
 */
export async function expectLists({ model, base, changedKinds }: World): Promise<void> {
  const pagesOf = {
    INVOICES: pagesOfInvoices,
    TIMESHEETS: pagesOfTimesheets,
    JOBS: (scope: Scope, own: readonly ModelRecord[]) => [expectPage(findJobs(scope, top), own)],
  };
  const changed = (["INVOICES", "TIMESHEETS", "JOBS"] as const).filter((list) => changedKinds.has(kindOf[list]));
  changedKinds.clear();
  const scopes = [base, base + 1];
  await Promise.all(
    changed.flatMap((list) => scopes.flatMap((scope) => pagesOf[list](scope, recordsOf(model, list, scope)))),
  );
}

function pagesOfInvoices(scope: Scope, own: readonly ModelRecord[]): Promise<void>[] {
  const filter = { scope, states: statesOf.INVOICES };
  return [
    expectPage(findInvoices(filter, top), own),
    expectPage(findInvoices({ ...filter, ...range }, top), own.filter(inRange)),
    ...["inv", "7"].map((number) => {
      const search = parseSearch(number);
      const isFound = (each: ModelRecord) => search !== undefined && isFoundBy(each.number ?? "", search);
      return expectPage(findInvoices({ ...filter, number }, top), own.filter(isFound));
    }),
  ];
}

function pagesOfTimesheets(scope: Scope, all: readonly ModelRecord[]): Promise<void>[] {
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
  wanted: readonly ModelRecord[],
): Promise<void> {
  const { items, total } = await reading;
  const ids = wanted.map(({ id }) => id).sort((a, b) => b - a);
  expect({ total, ids: items.map(({ id }) => id) }).toEqual({ total: ids.length, ids: ids.slice(0, top.limit) });
}

/** Expects the totals of each state and the counts of each day, of each company and of all together, and that all of the table is counted exactly. */
export async function expectAllCounts({ model, base }: World): Promise<void> {
  const scopes: Scope[] = ["all", base, base + 1];
  const counts = scopes.flatMap((scope) => {
    const jobs = expectTotal("JOBS", scope, "published", recordsOf(model, "JOBS", scope));
    const dated = (["INVOICES", "TIMESHEETS"] as const).flatMap((list) => {
      const own = recordsOf(model, list, scope);
      const ofState = (state: string) => own.filter((each) => each.state === state);
      return [
        ...statesOf[list].map((state) => expectTotal(list, scope, state, ofState(state))),
        expectDays(list, scope, own),
      ];
    });
    return [jobs, ...dated];
  });
  await Promise.all([...counts, expectExactCounters()]);
}

async function expectTotal(
  list: keyof typeof kindOf,
  scope: Scope,
  state: string,
  wanted: readonly ModelRecord[],
): Promise<void> {
  expect(await countList({ list, scope, states: [state] }), `${list} ${scope} ${state}`).toBe(wanted.length);
}

async function expectDays(list: "INVOICES" | "TIMESHEETS", scope: Scope, own: readonly ModelRecord[]): Promise<void> {
  const days = Map.groupBy(own, (each) => `${each.date} ${each.state}`);
  const found = await countDays({ list, scope, states: statesOf[list] });
  const counts = found.map(({ date, state, count }) => [`${date} ${state}`, count] as const);
  expect(new Map(counts)).toEqual(new Map([...days].map(([day, { length }]) => [day, length])));
}

/** Expects each user's notifications, newest first, and their counts. */
export async function expectUsers({ model }: World): Promise<void> {
  await Promise.all(model.users.map(expectUser));
}

async function expectUser({ id: userId, notifications }: UserModel): Promise<void> {
  const { items, total } = await findNotifications(userId, { limit: 100, skip: 0, beforeId: undefined });
  expect(total).toBe(notifications.length);
  expect(items).toEqual(items.toSorted((a, b) => b.id - a.id));
  expect(items).toEqual(
    items.toSorted((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0)),
  );
  const stored = items.map(({ id, created_at: createdAt, record_type, record_id, params, read_at }) => {
    return { id, createdAt, shown: `${record_type} ${record_id} ${params.type}`, read: read_at !== null };
  });
  nameNew(notifications, stored);
  const known = notifications.map(({ eventId: _, ...rest }) => rest);
  expect(stored).toEqual(known.toSorted((a, b) => (b.id ?? 0) - (a.id ?? 0)));
  const unread = notifications.filter(({ read }) => !read);
  const of = (type: string) => unread.filter(({ shown }) => shown.startsWith(type)).length;
  const counts = { timesheets: of("Timesheet"), jobs: of("Job"), chats: of("Chat") };
  expect(await findUnreadCounts(userId)).toEqual({ notifications: unread.length, ...counts });
}

/** Those that arrived at one moment are in any order. */
function nameNew(
  notifications: readonly ModelNotification[],
  stored: readonly Required<Omit<ModelNotification, "eventId">>[],
): void {
  const nameless = notifications.filter(({ id }) => id === undefined);
  const taken = new Set(notifications.map(({ id }) => id));
  for (const { id, shown, createdAt } of stored.filter((each) => !taken.has(each.id))) {
    const found = nameless.find(
      (each) => each.id === undefined && each.shown === shown && each.createdAt === createdAt,
    );
    if (found) found.id = id;
  }
}
