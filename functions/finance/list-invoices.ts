import { invoiceStates, listInvoices } from "../../shared/contract/finance.ts";
import { findInvoices } from "../../shared/db/records/invoices.ts";
import { narrowScope, requireScope } from "../../shared/domain/caller.ts";
import { nothingFound, pageStart, placePage } from "../../shared/domain/paging/paging.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Lists the invoices of the caller's company, newest id first; all filters combine (D21, D22, D30). */
export const handler = authenticated(listInvoices, async ({ query, caller }) => {
  const { by_state: states = invoiceStates, from_date: fromDate, to_date: toDate, by_number: number } = query;
  const filters = JSON.stringify([listInvoices.name, states, fromDate, toDate, number, query.by_company]);
  const start = pageStart(query, filters);
  const scope = narrowScope(requireScope(caller), query.by_company);
  const found = scope === null ? nothingFound : await findInvoices({ scope, states, fromDate, toDate, number }, start);
  return placePage(query, filters, found);
});
