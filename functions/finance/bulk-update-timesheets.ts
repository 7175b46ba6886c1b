import { bulkUpdateTimesheets } from "../../shared/contract/finance.ts";
import { requireScope } from "../../shared/contract/operation.ts";
import { idempotent } from "../../shared/http/endpoint.ts";
import { authorizePayment } from "../../shared/people/passcodes.ts";
import { readBulk } from "../../shared/records/bulk.ts";
import { setTimesheetStates } from "../../shared/records/timesheets.ts";

/** Marks timesheets as paid or pending, all or none. A caller with a passcode must send it (D17–D19). */
export const handler = idempotent(bulkUpdateTimesheets, {
  authorize: ({ body, caller, now, holder }) => authorizePayment(caller, body.passcode, now, holder),
  read: ({ body: { timesheet_ids: ids }, caller, key }) =>
    readBulk("TIMESHEETS", { ids, scope: requireScope(caller) }, key),
  write: ({ body: { timesheet_ids: ids, state }, ...context }, begun) =>
    setTimesheetStates(ids, requireScope(context.caller), state, context, begun),
});
