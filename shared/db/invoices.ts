import type * as v from "valibot";
import type { InvoiceState, invoice } from "../contract/finance.ts";
import type { Scope } from "../domain/caller.ts";
import { maxNumberMatches, numberMatches } from "../domain/invoice-number.ts";
import type { PageStart } from "../domain/paging.ts";
import { Refusal } from "../domain/refusal.ts";
import { findListMatches, findListPage, type ListPage, type ListSelection } from "./lists.ts";

/** An invoice as the interface shows it. */
export type Invoice = v.InferOutput<typeof invoice>;

/** What an invoice must be to be listed; all parts combine with AND (D21, D22). */
export interface InvoiceFilter {
  readonly scope: Scope;
  readonly states: readonly InvoiceState[];
  /** Calendar dates, both ends inclusive, compared with `issued_date`. */
  readonly fromDate?: string | undefined;
  readonly toDate?: string | undefined;
  /** Start of the number or of one of its parts. */
  readonly number?: string | undefined;
}

/** Access pattern I1: one page of the invoices that match, newest id first, and how many match in all. */
export async function findInvoices(filter: InvoiceFilter, start: PageStart): Promise<ListPage<Invoice>> {
  const selection: ListSelection = { list: "INVOICES", states: filter.states, scope: filter.scope };
  const { fromDate, toDate, number } = filter;
  if (fromDate === undefined && toDate === undefined && number === undefined) return findListPage(selection, start);

  const most = number === undefined ? Number.POSITIVE_INFINITY : maxNumberMatches;
  const matches = await findListMatches<Invoice>(selection, (invoice) => isMatch(invoice, filter), most);
  if (matches.length > most) throw tooBroad();
  const after = matches.filter(({ id }) => start.beforeId === undefined || id < start.beforeId);
  const end = start.skip + start.limit;
  return { items: after.slice(start.skip, end), total: matches.length, hasMore: after.length > end };
}

function isMatch(invoice: Invoice, { fromDate, toDate, number }: InvoiceFilter): boolean {
  return (
    (fromDate === undefined || invoice.issued_date >= fromDate) &&
    (toDate === undefined || invoice.issued_date <= toDate) &&
    (number === undefined || numberMatches(invoice.number, number))
  );
}

function tooBroad(): Refusal {
  const detail = `matches more than ${maxNumberMatches} invoices; give more of the number, or filter by date, state or company`;
  return new Refusal("query_too_broad", "The search by number matches too many invoices", {
    errors: [{ parameter: "by_number", code: "too_broad", detail }],
  });
}
