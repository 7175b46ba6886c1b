import * as v from "valibot";
import { expect, test } from "vitest";
import { listInvoices, listTimesheets } from "../../shared/contract/finance.ts";
import { listJobs } from "../../shared/contract/jobs.ts";
import { listNotifications } from "../../shared/contract/notifications.ts";
import { idParameter, optionalParameter, paging, severalOf } from "../../shared/contract/query.ts";
import { listFingerprint, readPage } from "../../shared/run/paging.ts";

const lists = [listInvoices, listTimesheets, listJobs, listNotifications];
const values: Record<string, string> = {
  by_state: "paid",
  from_date: "2026-01-01",
  to_date: "2026-12-31",
  by_number: "A-1",
  by_company: "7",
};

/** Invoices with a sixth filter, as a later release may have them. */
const withDriver = {
  ...listInvoices,
  query: v.object({ by_driver: optionalParameter(idParameter), ...listInvoices.query.entries }),
};

/** Invoices with a sixth filter that has a default, as a later release may have them. */
const withKind = {
  ...listInvoices,
  query: v.object({ by_kind: severalOf(v.picklist(["standard", "credit"])), ...listInvoices.query.entries }),
};

function fingerprintOf(list: { name: string; query: v.GenericSchema }, given: object): string {
  return listFingerprint(list, v.parse(list.query, given) as object);
}

test.each(lists)("D30: every filter of $name changes its fingerprint, and paging does not", (list) => {
  const bare = fingerprintOf(list, {});
  const seen = new Set([bare]);
  const filters = Object.keys(list.query.entries).filter((name) => !(name in paging));
  for (const name of filters) seen.add(fingerprintOf(list, { [name]: values[name] }));
  expect(seen.size).toBe(filters.length + 1);
  expect(fingerprintOf(list, { page: "2", per_page: "5", cursor: "c" })).toBe(bare);
});

test("D30: lists have fingerprints of their own", () => {
  expect(new Set(lists.map((list) => fingerprintOf(list, {}))).size).toBe(lists.length);
});

test("D30: a filter that is added changes the fingerprint by being in the contract, and leaves no trace while absent", () => {
  expect(fingerprintOf(withDriver, { by_driver: "7" })).not.toBe(fingerprintOf(withDriver, {}));
  expect(fingerprintOf(withDriver, { by_driver: "7" })).not.toBe(fingerprintOf(withDriver, { by_driver: "8" }));
  expect(fingerprintOf(withDriver, { by_driver: "7" })).not.toBe(fingerprintOf(withDriver, { by_company: "7" }));
  expect(fingerprintOf(withDriver, { ...values })).toBe(fingerprintOf(listInvoices, { ...values }));
  const otherOrder = Object.fromEntries(Object.entries(listInvoices.query.entries).toReversed());
  const reordered = { ...listInvoices, query: v.object(otherOrder) };
  expect(fingerprintOf(reordered, { ...values })).toBe(fingerprintOf(listInvoices, { ...values }));
});

test("D30: a cursor is accepted after a filter with a default is added, unless the filter is set", async () => {
  const found = { items: [{ id: 9 }], total: 2, hasMore: true };
  const page = (list: typeof listInvoices | typeof withKind, given: object) =>
    readPage(list, v.parse(list.query, given), () => found);
  const { place } = await page(listInvoices, { by_state: "paid", per_page: "1" });
  const given = { by_state: "paid", cursor: place?.nextCursor };
  for (const all of [{}, { by_kind: "" }, { by_kind: "standard,credit" }]) {
    expect((await page(withKind, { ...given, ...all })).items).toEqual(found.items);
  }
  await expect(page(withKind, { ...given, by_kind: "credit" })).rejects.toMatchObject({ code: "cursor_invalid" });
});

test("D30: a cursor of a list with a parameter in its path holds for that value alone", async () => {
  const found = { items: [{ id: 9 }], total: 2, hasMore: true };
  const page = (id: number, given: object) =>
    readPage(listJobs, { ...v.parse(listJobs.query, given), id }, () => found);
  const cursor = (await page(1, { per_page: "1" })).place?.nextCursor;
  expect((await page(1, { cursor })).items).toEqual([{ id: 9 }]);
  await expect(page(2, { cursor })).rejects.toMatchObject({ code: "cursor_invalid" });
});

test("D22, D30: an absent state and all states are one list", () => {
  const all = fingerprintOf(listInvoices, { by_state: "pending,paid,overdue" });
  expect(fingerprintOf(listInvoices, {})).toBe(all);
  expect(fingerprintOf(listInvoices, { by_state: "" })).toBe(all);
});
