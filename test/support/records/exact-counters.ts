import { expect } from "vitest";
import { searchableStarts } from "../../../shared/records/numbers.ts";
import type { Item } from "../../../shared/table/table.ts";
import { allItems } from "./items.ts";

const listsByKind = { TIMESHEET: "TIMESHEETS", INVOICE: "INVOICES", JOB: "JOBS" } as const;
const letters: Readonly<Record<string, string>> = { pending: "p", paid: "a", overdue: "o" };

/** Sums by list, company, month (or ALL) and figure. */
type Sums = Map<string, number>;

/** Expects that the counters of all lists, and the search entries, are those of a count of all records in the table. */
export async function expectExactCounters(): Promise<void> {
  const items = await allItems();
  expect(sorted(countersOf(items))).toEqual(sorted(countOf(items)));
  expect(entriesIn(items)).toEqual(entriesOfRecords(items));
}

function sorted(sums: Sums): [string, number][] {
  return [...sums].filter(([, sum]) => sum !== 0).sort(([one], [other]) => (one < other ? -1 : 1));
}

function add(sums: Sums, name: string, amount: number): void {
  sums.set(name, (sums.get(name) ?? 0) + amount);
}

/** The sums of the parts. Each part must be in the index for its company. */
function countersOf(items: readonly Item[]): Sums {
  const sums: Sums = new Map();
  for (const { pk, sk, writes, schema_version, total_key, total_order, ...figures } of items) {
    const [kind, list, company] = String(pk).split("#");
    if (kind !== "COUNTERS") continue;
    const [month, part] = String(sk).split("#");
    expect(writes).toBeGreaterThan(0);
    expect(schema_version).toBe(1);
    expect(total_key).toBe(`${list}#${month === "ALL" ? "ALL" : "MONTHS"}#${Number(company) % 4}`);
    expect(total_order).toBe(`${month}#${String(company).padStart(16, "0")}#${part}`);
    for (const [figure, sum] of Object.entries(figures))
      add(sums, `${list} ${company} ${month} ${figure}`, Number(sum));
  }
  return sums;
}

interface Stored {
  readonly id: number;
  readonly companyId: number;
  readonly kind: keyof typeof listsByKind;
  readonly record: Readonly<Record<string, unknown>>;
}

/** A tombstone has no record. */
function recordsOf(items: readonly Item[]): Stored[] {
  return items
    .filter(({ sk, record }) => record && Object.hasOwn(listsByKind, String(sk)))
    .map(
      ({ sk, id, company_id, record }) =>
        ({ kind: sk, id: Number(id), companyId: Number(company_id), record }) as Stored,
    );
}

function countOf(items: readonly Item[]): Sums {
  const sums: Sums = new Map();
  for (const { kind, companyId, record } of recordsOf(items)) {
    const of = `${listsByKind[kind]} ${companyId}`;
    const date = kind === "INVOICE" ? record.issued_date : record.date;
    add(sums, `${of} ALL ${kind === "JOB" ? "published" : record.state}`, 1);
    if (kind === "JOB") continue;
    const [year, month, day] = String(date).split("-");
    add(sums, `${of} ${year}-${month} ${day}${letters[String(record.state)]}`, 1);
  }
  return sums;
}

function entriesIn(items: readonly Item[]): string[] {
  const entries = items.filter(({ pk }) => /^COMPANY#\d+#NUMBERS#/.test(String(pk)));
  return entries.map(({ pk, sk }) => `${pk} ${sk}`).sort();
}

function entriesOfRecords(items: readonly Item[]): string[] {
  const invoices = recordsOf(items).filter(({ kind }) => kind === "INVOICE");
  return invoices
    .flatMap(({ id, companyId, record }) =>
      searchableStarts(String(record.number)).map(
        (start) => `COMPANY#${companyId}#NUMBERS#${[...start][0]} ${start}#${record.issued_date}#${id}`,
      ),
    )
    .sort();
}
