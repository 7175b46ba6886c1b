import { getInvoice } from "../../shared/contract/finance.ts";
import { requireScope } from "../../shared/contract/operation.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { requireRecord, toFields } from "../../shared/records/items.ts";

/** Shows the current state of an invoice of the caller's company (D39). */
export const handler = authenticated(getInvoice, async ({ parameters, caller }) => ({
  invoice: toFields<"INVOICES">(await requireRecord("INVOICES", parameters.id, requireScope(caller))),
}));
