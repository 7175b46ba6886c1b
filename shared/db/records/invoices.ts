import type { InvoiceState } from "../../contract/finance.ts";
import type { Scope } from "../../domain/caller.ts";
import type { DateRange } from "../../domain/paging/date-range.ts";
import type { PageStart } from "../../domain/paging/paging.ts";
import type { ListPage } from "../lists/list-pages.ts";
import type { ListedFields } from "../lists/listed-items.ts";
import { findListPage } from "../lists/lists.ts";
import { findByNumber } from "../lists/number-search.ts";

/** An invoice as the interface shows it. */
export type Invoice = ListedFields<"INVOICES">;

/** What an invoice must be to be listed; all parts combine with AND (D21, D22). Dates compare with `issued_date`. */
export interface InvoiceFilter extends DateRange {
  readonly scope: Scope;
  readonly states: readonly InvoiceState[];
  /** Start of the number or of one of its parts. */
  readonly number?: string | undefined;
}

/** Access pattern I1: one page of the invoices that match, newest id first, and how many match in all. */
export function findInvoices(filter: InvoiceFilter, start: PageStart): Promise<ListPage<Invoice>> {
  const { scope, states, number } = filter;
  if (number !== undefined) return findByNumber(number, filter, start);
  return findListPage({ list: "INVOICES", states, scope }, filter, start);
}
