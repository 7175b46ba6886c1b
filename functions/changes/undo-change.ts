import { authorizePayment } from "../../shared/accounts/authorize-payment.ts";
import { undoChange as operation } from "../../shared/contract/changes.ts";
import { undoChange } from "../../shared/db/records/undo-change.ts";
import { idempotent } from "../../shared/http/endpoint.ts";

/** Undoes a change of timesheets or timers. A caller with a passcode must send it (D41). */
export const handler = idempotent(
  operation,
  async ({ parameters, ...context }) => {
    const { id, undone, list } = await undoChange(parameters.id, context);
    const record_type = list === "TIMESHEETS" ? ("Timesheet" as const) : ("Job" as const);
    return {
      change: { id, undone: undone.id, record_type, record_ids: [...undone.record_ids] },
      changeId: id,
    };
  },
  { authorize: ({ body, caller, now }) => authorizePayment(caller, body.passcode, now) },
);
