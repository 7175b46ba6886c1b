import { getInvoice } from "../../shared/contract/finance.ts";
import type { Invoice } from "../../shared/db/records/invoices.ts";
import { requireRecord } from "../../shared/db/records/records.ts";
import { requireScope } from "../../shared/domain/caller.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Shows one invoice of the caller's company, as it is now (D39). */
export const handler = authenticated(getInvoice, async ({ parameters, caller }) => ({
  invoice: await requireRecord<Invoice>("INVOICE", parameters.id, requireScope(caller)),
}));
