import { handler } from "../../../functions/finance/get-invoice.ts";
import { getInvoice } from "../../../shared/contract/finance.ts";
import { invoiceLine } from "../../support/records/records.ts";
import { testSingleRecord } from "../single-record.ts";

testSingleRecord({
  operation: getInvoice,
  handler,
  type: "invoice",
  line: invoiceLine,
  roles: ["operator", "client"],
  ofLargestId: { uuid: "00000000-0000-4000-8000-000000000000" },
});
