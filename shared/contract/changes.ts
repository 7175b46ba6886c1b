import * as v from "valibot";
import { optionalPasscode } from "./finance.ts";
import { operation } from "./operation.ts";
import { id } from "./values.ts";

/** The types of records whose bulk changes can be undone (D41). */
export const undoableTypes = ["timesheet", "job"] as const;

/** Id of a change, as the header `change-id` names it. */
export const changeId = v.pipe(v.string(), v.maxLength(100));

/** POST changes/{id}/undo: puts back all records of a change, or none (D41). */
export const undoChange = operation({
  name: "undo-change",
  summary: "Undoes a change of timesheets or timers",
  method: "POST",
  path: "/api/v1/changes/{id}/undo",
  access: ["admin", "operator"],
  companyBound: true,
  idempotent: true,
  answersChange: true,
  parameters: v.object({ id: v.string() }),
  body: { object: "change", fields: v.object({ passcode: optionalPasscode }) },
  answer: v.object({
    change: v.object({
      id: changeId,
      undone: changeId,
      record_type: v.picklist(undoableTypes),
      record_ids: v.array(id),
    }),
  }),
  refusals: [
    "record_not_found",
    "changed_since",
    "change_undone",
    "change_expired",
    "passcode_invalid",
    "passcode_locked",
  ],
});
