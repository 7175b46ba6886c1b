import type * as v from "valibot";
import type { InvoiceState, invoice } from "../contract/finance.ts";
import type { Scope } from "../domain/caller.ts";
import { type DateRange, isWithinRange } from "../domain/date-range.ts";
import { maxNumberMatches, numberMatches } from "../domain/invoice-number.ts";
import type { PageStart } from "../domain/paging.ts";
import { Refusal } from "../domain/refusal.ts";
import { findListPage, findMatchingPage, type ListPage, type ListSelection } from "./lists.ts";

/** An invoice as the interface shows it. */
export type Invoice = v.InferOutput<typeof invoice>;

/** What an invoice must be to be listed; all parts combine with AND (D21, D22). Dates compare with `issued_date`. */
export interface InvoiceFilter extends DateRange {
  readonly scope: Scope;
  readonly states: readonly InvoiceState[];
  /** Start of the number or of one of its parts. */
  readonly number?: string | undefined;
}

/** Access pattern I1: one page of the invoices that match, newest id first, and how many match in all. */
export async function findInvoices(filter: InvoiceFilter, start: PageStart): Promise<ListPage<Invoice>> {
  const { scope, states, fromDate, toDate, number } = filter;
  const selection: ListSelection = { list: "INVOICES", states, scope };
  if (fromDate === undefined && toDate === undefined && number === undefined) return findListPage(selection, start);
  const isMatch = (invoice: Invoice) =>
    isWithinRange(invoice.issued_date, filter) && (number === undefined || numberMatches(invoice.number, number));
  const most = number === undefined ? {} : { most: { count: maxNumberMatches, refusal: tooBroad } };
  return findMatchingPage(selection, { matches: isMatch, ...most }, start);
}

function tooBroad(): Refusal {
  const detail = `matches more than ${maxNumberMatches} invoices; give more of the number, or filter by date, state or company`;
  return new Refusal("query_too_broad", "The search by number matches too many invoices", {
    errors: [{ parameter: "by_number", code: "too_broad", detail }],
  });
}
