import { undoChange as operation } from "../../shared/contract/changes.ts";
import { idempotent } from "../../shared/http/endpoint.ts";
import { authorizePayment } from "../../shared/people/passcodes.ts";
import { restoreRecords } from "./undoing.ts";

/** Undoes a change of timesheets or timers. A caller with a passcode must send it (D41). */
export const handler = idempotent(
  operation,
  async ({ parameters, ...context }) => {
    const { id, list, recordIds, isRepetition } = await restoreRecords(parameters.id, context);
    const record_type = list === "TIMESHEETS" ? ("Timesheet" as const) : ("Job" as const);
    const change = { id, undone: parameters.id, record_type, record_ids: recordIds };
    return { change, changeId: id, isRepetition };
  },
  { authorize: ({ body, caller, now }) => authorizePayment(caller, body.passcode, now) },
);
