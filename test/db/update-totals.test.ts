import { describe, expect, test } from "vitest";
import { updateTotals } from "../../shared/db/lists/update-totals.ts";
import { readCompany } from "../../shared/db/reconcile/company-items.ts";
import { reconcileTotals } from "../../shared/db/reconcile/reconcile-totals.ts";
import {
  countDifferences,
  differencesOf,
  reconcileUntilStable,
} from "../../shared/db/reconcile/stable-reconciliation.ts";
import { findInvoices } from "../../shared/db/records/invoices.ts";
import { deleteItemAt, putIf } from "../../shared/db/table/conditional-writes.ts";
import { padId, recordKey } from "../../shared/db/table/item-keys.ts";
import { getItem } from "../../shared/db/table/table.ts";
import { expectExactTotals } from "../support/records/exact-totals.ts";
import { invoiceLine, jobLine, timesheetLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { write } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";

useService();

const all = { scope: "all", states: ["pending", "paid", "overdue"] } as const;
const top = { limit: 20, beforeId: undefined, skip: 0 };

test("totals are exact after records come, change state, company, date and number, and go", async () => {
  await store([
    ...Array.from({ length: 30 }, (_, at) =>
      invoiceLine(100 + at, 1 + (at % 3), { issued_date: `2026-0${1 + (at % 5)}-1${at % 7}` }),
    ),
    timesheetLine(100, 1),
    jobLine(100, 1),
  ]);
  await expectExactTotals();
  await store([
    { type: "invoice", id: 100, state: "paid" },
    { type: "invoice", id: 101, company_id: 9 },
    { type: "invoice", id: 102, issued_date: "2025-12-31" },
    { type: "invoice", id: 103, number: "OTHER 0042" },
    { type: "timesheet", id: 100, state: "paid", date: "2026-06-30" },
    { type: "job", id: 100, company_id: 2 },
    { type: "invoice", id: 104, deleted: true },
  ]);
  await expectExactTotals();
  expect((await findInvoices({ ...all }, top)).total).toBe(29);
  expect((await findInvoices({ ...all, number: "42" }, top)).items.map(({ id }) => id)).toEqual([103]);
});

test("a record is counted once, however often and however much at once it is counted", async () => {
  await write(invoiceLine(200, 20));
  const key = recordKey("INVOICE", 200);
  const moved = await Promise.all(Array.from({ length: 12 }, () => updateTotals([key, key], new Date())));
  expect(moved.reduce((sum, each) => sum + each, 0)).toBe(1);
  expect((await findInvoices({ ...all, scope: 20 }, top)).total).toBe(1);
  await expectExactTotals();
});

test("a number with as many parts as one can have changes, with everything else, in one transaction", async () => {
  const worst = (digit: string) =>
    Array.from({ length: 22 }, () => `0${digit}`)
      .join("-")
      .slice(0, 64);
  await store([invoiceLine(300, 30, { number: worst("1") })]);
  await store([
    { type: "invoice", id: 300, number: worst("2"), company_id: 31, issued_date: "2024-02-29", state: "paid" },
  ]);
  await expectExactTotals();
});

test("many days of one month are counted, though their bounds exceed one expression", async () => {
  await store(
    Array.from({ length: 90 }, (_, at) =>
      timesheetLine(400 + at, 40, {
        date: `2026-07-${String(1 + (at % 31)).padStart(2, "0")}`,
        state: at % 2 ? "paid" : "pending",
      }),
    ),
  );
  await expectExactTotals();
});

describe("reconcile", () => {
  test("names a record that lacks what its list goes by", async () => {
    await putIf({ Item: { ...recordKey("INVOICE", 700), id: 700, company_id: 70, record: { state: "pending" } } });
    expect((await reconcileTotals()).unreadable).toEqual([recordKey("INVOICE", 700)]);
    await expect(updateTotals([recordKey("INVOICE", 700)], new Date())).rejects.toThrow("issued_date");
  });

  test("of one company reads what belongs to it alone, and finds its counts, bounds, search entries and records", async () => {
    await store([
      invoiceLine(800, 80),
      invoiceLine(801, 80, { number: "ZETA-8" }),
      jobLine(800, 80),
      invoiceLine(802, 81),
    ]);
    const exact = await reconcileCompany(80);
    expect([exact.found.records, countDifferences(exact)]).toEqual([3, 0]);
    for (const company of [80, 81]) {
      for (const [sk, wrong] of Object.entries({ "2026-05#COUNTS": { "01p": 7 }, "2026-05#BOUNDS": { "01p>": 3 } })) {
        await putIf({ Item: { ...(await getItem({ pk: `TOTALS#INVOICES#${company}`, sk })), ...wrong } });
      }
    }
    await deleteItemAt({ pk: "COMPANY#80#NUMBERS", sk: `zeta-8#${padId(801)}` });
    await write(invoiceLine(803, 80));
    const { found } = await reconcileCompany(80);
    const [pk, entries] = ["TOTALS#INVOICES#80", "COMPANY#80#NUMBERS"];
    expect(
      differencesOf(found)
        .map((line) => line.replace(/: \d+, should.*/, ""))
        .toSorted(),
    ).toEqual([
      `${entries}  entries`,
      "INVOICE#803: not counted as it is now",
      `${pk} 2026-05#BOUNDS 01p>`,
      `${pk} 2026-05#COUNTS 01p`,
    ]);
  });
});

function reconcileCompany(id: number) {
  return reconcileUntilStable({ look: (suspects) => readCompany(id, suspects), pauseMs: 0 });
}
