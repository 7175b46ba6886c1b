import { listInvoices } from "../../shared/contract/finance.ts";
import { narrowScope, requireScope } from "../../shared/contract/operation.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { nothingFound, readPage } from "../../shared/run/paging.ts";
import { findInvoices } from "./find-invoices.ts";

/** Lists the invoices of the caller's company, newest id first; all filters combine (D21, D22, D30). */
export const handler = authenticated(listInvoices, ({ query, caller }) => {
  const scope = narrowScope(requireScope(caller), query.by_company);
  const { by_state: states, from_date: fromDate, to_date: toDate, by_number: number } = query;
  return readPage(listInvoices, query, (start) =>
    scope === null ? nothingFound : findInvoices({ scope, states, fromDate, toDate, number }, start),
  );
});
