import { handler } from "../../../functions/finance/get-timesheet.ts";
import { getTimesheet } from "../../../shared/contract/finance.ts";
import { timesheetLine } from "../../support/records/records.ts";
import { testSingleRecord } from "../../support/records/single-record.ts";

testSingleRecord({
  operation: getTimesheet,
  handler,
  type: "timesheet",
  line: timesheetLine,
  roles: ["operator"],
  derived: { payment_state: "pending" },
  change: { state: "paid" },
});
