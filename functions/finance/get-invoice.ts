import { getInvoice } from "../../shared/contract/finance.ts";
import { requireRecord } from "../../shared/db/records/find-records.ts";
import { requireScope } from "../../shared/domain/caller.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Shows the current state of an invoice of the caller's company (D39). */
export const handler = authenticated(getInvoice, async ({ parameters, caller }) => {
  const { record: invoice, origins } = await requireRecord("INVOICES", parameters.id, requireScope(caller));
  return { invoice, origins };
});
