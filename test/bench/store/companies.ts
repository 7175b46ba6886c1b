import { findInvoices, type InvoiceFilter } from "../../../shared/db/records/invoices.ts";
import { padId } from "../../../shared/db/table/item-keys.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import { counterKey, counters, importParts, userParts } from "../../../shared/db/writes/counters.ts";
import { Refusal } from "../../../shared/domain/refusal.ts";
import { type Cost, costOf } from "../../support/records/costs.ts";
import { invoiceLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";

/** The costs of a list over many companies; undefined where it is refused as too broad. */
export interface CompaniesCost {
  readonly name: string;
  readonly cost: Cost | undefined;
}

const states = ["pending", "paid", "overdue"] as const;
const months = Array.from({ length: 12 }, (_, at) => `2026-${String(at + 1).padStart(2, "0")}`);
const days = Array.from({ length: 31 }, (_, at) => String(at + 1).padStart(2, "0"));
const firstPage = { limit: 20, skip: 0, beforeId: undefined };
/** The figure in each part of a counter of a state, and in that of a month of a day and state. */
const ofAll = 372;
const ofDay = 1;
const allParts = [...userParts, ...importParts];

/**
 * Up to so many companies have twelve months each. Each company of a larger number has one month, because a year of all
 * of them is refused.
 */
const companiesWithYears = 1_000;

/** The counters of so many companies. Busy companies have every part of a counter, quiet ones have one. */
export function* counterItems(companies: number, isBusy: boolean): Generator<Item> {
  const parts = isBusy ? allParts : allParts.slice(0, 1);
  const all = Object.fromEntries(states.map((state) => [state, ofAll]));
  const month = Object.fromEntries(days.flatMap((day) => ["p", "a", "o"].map((state) => [`${day}${state}`, ofDay])));
  const own = companies <= companiesWithYears ? months : months.slice(5, 6);
  for (let company = 1; company <= companies; company += 1) {
    for (const part of parts) {
      yield itemOf(company, "ALL", part, all);
      for (const each of own) yield itemOf(company, each, part, month);
    }
  }
}

function itemOf(companyId: number, month: string, part: number, figures: object): Item {
  const list = "INVOICES";
  const total_key = `${list}#${month === "ALL" ? "ALL" : "MONTHS"}#${companyId % 4}`;
  const total_order = `${month}#${padId(companyId)}#${String(part).padStart(2, "0")}`;
  return counters.encode({
    ...counterKey({ list, companyId, month }, part),
    ...figures,
    writes: 400,
    total_key,
    total_order,
  });
}

/** Invoices that fill the first page of every list. */
export async function storeFirstPages(): Promise<void> {
  const ids = Array.from({ length: 120 }, (_, at) => at + 1);
  await store(
    ids.map((id) => invoiceLine(id, 1, { state: states[id % 3], issued_date: `${months[id % 12]}-${days[id % 28]}` })),
  );
}

/** Measures first pages of twenty over all companies, and of one of them. */
export async function measureCompanies(): Promise<CompaniesCost[]> {
  const year = { fromDate: "2026-01-01", toDate: "2026-12-31" };
  const month = { fromDate: "2026-06-01", toDate: "2026-06-30" };
  const week = { fromDate: "2026-06-08", toDate: "2026-06-14" };
  const costs: CompaniesCost[] = [];
  for (const [whose, scope] of [
    ["all companies", "all"],
    ["one company", 1],
  ] as const) {
    for (const [when, range] of [
      ["undated", {}],
      ["a week", week],
      ["a month", month],
      ["a year", year],
    ] as const) {
      const filter: InvoiceFilter = { scope, states, ...range };
      costs.push({ name: `${whose}, ${when}`, cost: await costUnlessRefused(filter) });
    }
  }
  return costs;
}

async function costUnlessRefused(filter: InvoiceFilter): Promise<Cost | undefined> {
  let isRefused = false;
  const cost = await costOf(() =>
    findInvoices(filter, firstPage).catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.code !== "query_too_broad") throw error;
      isRefused = true;
    }),
  );
  return isRefused ? undefined : cost;
}
