import type { FoundPage, PageStart } from "../../shared/contract/paging.ts";
import type { ListedFields } from "../../shared/records/items.ts";
import { findListPage } from "../../shared/records/lists.ts";
import type { ListSelection } from "../../shared/records/totals.ts";
import { findByNumber } from "./number-search.ts";

/**
 * The conditions of a list of invoices; an invoice must meet all of them (D21, D22). Dates are compared with
 * `issued_date`.
 */
export interface InvoiceFilter extends Omit<ListSelection, "list"> {
  /** Start of the number or of one of its parts. */
  readonly number?: string | undefined;
}

/** Access pattern I1: one page of the matching invoices, newest id first, and the number of all matches. */
export function findInvoices(filter: InvoiceFilter, start: PageStart): Promise<FoundPage<ListedFields<"INVOICES">>> {
  if (filter.number !== undefined) return findByNumber(filter.number, filter, start);
  return findListPage({ list: "INVOICES", ...filter }, start);
}
