import { bulkUpdateTimesheets } from "../../shared/contract/finance.ts";
import { requireScope } from "../../shared/contract/operation.ts";
import { idempotent } from "../../shared/http/endpoint.ts";
import { authorizePayment } from "../../shared/people/passcodes.ts";
import { setTimesheetStates } from "../../shared/records/timesheets.ts";

/** Marks timesheets as paid or pending, all or none. A caller with a passcode must send it (D17–D19). */
export const handler = idempotent(
  bulkUpdateTimesheets,
  ({ body: { timesheet_ids: ids, state }, ...context }) =>
    setTimesheetStates(ids, requireScope(context.caller), state, context),
  { authorize: ({ body, caller, now }) => authorizePayment(caller, body.passcode, now) },
);
