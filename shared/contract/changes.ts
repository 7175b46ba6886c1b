import * as v from "valibot";
import { optionalPasscode } from "./finance.ts";
import { operation } from "./operation.ts";
import { idParameter, optionalParameter, paging } from "./query.ts";
import { id, mostBulkIds, text, timestamp, uuid } from "./values.ts";

/** The types of records with a history, as notifications name them (D41). */
export const changedTypes = ["Timesheet", "Invoice", "Job", "User"] as const;

/** The subjects of entries: a record, or an import of new records, which is one entry. */
const entryTypes = [...changedTypes, "Import"] as const;

/** A type of record with a history. */
export type ChangedType = (typeof changedTypes)[number];

/** The actions in entries. `session_ended` concerns a user's sessions, `imported` the new records of a file. */
const changeActions = ["created", "updated", "removed", "session_ended", "imported"] as const;

/** The kinds of actors; `unknown` if a write did not say one. */
const actorKinds = ["user", "import", "event", "schedule", "tool", "service", "unknown"] as const;

/** The actor of a change, as far as known. */
export const actor = v.object({
  kind: v.picklist(actorKinds),
  id: v.nullable(text(400)),
  name: v.nullable(text(401)),
});

/** One field before and after a change; null if it did not exist. */
const changedField = v.object({ name: text(100), before: v.unknown(), after: v.unknown() });

/** More fields than any record has. */
const mostFields = 100;

/** A change of one record: actor, action and time (D41). */
export const historyEntry = v.object({
  id: text(64),
  change_id: v.nullable(text(64)),
  at: timestamp,
  record_type: v.picklist(entryTypes),
  record_id: v.nullable(id),
  action: v.picklist(changeActions),
  by: actor,
  operation: v.nullable(text(100)),
  request_id: v.nullable(text(200)),
  key_id: v.nullable(id),
  fields: v.pipe(v.array(changedField), v.maxLength(mostFields)),
});

/** The form of the ids of changes for the document. */
const changeIdForm = v.metadata<string, { format: string; maxLength: number }>({ format: "uuid", maxLength: 36 });

const filters = v.object({
  record_type: optionalParameter(v.picklist(changedTypes)),
  record_id: optionalParameter(idParameter),
  by_user: optionalParameter(idParameter),
  by_company: optionalParameter(idParameter),
  change_id: optionalParameter(v.pipe(uuid("must be the id of a change, a UUID"), changeIdForm)),
  per_page: paging.per_page,
  cursor: paging.cursor,
});

/** Filters that have an index: only one of them at a time. */
const orders = ["record_id", "by_user", "by_company", "change_id"] as const;

const alone = "must be sent without another filter: changes are found by record, by user, by company or by change id";

/** GET changes: the changes of records, newest first, with one filter at a time (D41). */
export const listChanges = operation({
  name: "list-changes",
  summary: "Lists who changed what, newest first",
  method: "GET",
  path: "/api/v1/changes",
  access: ["admin", "operator"],
  keys: "read",
  companyBound: true,
  query: v.pipe(
    filters,
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const { value } = dataset;
      const refuse = (name: keyof typeof value, message: string) =>
        addIssue({ message, path: [{ type: "object", origin: "value", input: value, key: name, value: value[name] }] });
      const [, second] = orders.filter((name) => value[name] !== undefined);
      if (second) refuse(second, alone);
      const pair = "must be sent together: record_type and record_id name a record";
      if (value.record_id !== undefined && value.record_type === undefined) refuse("record_type", pair);
      if (value.record_type !== undefined && value.record_id === undefined) refuse("record_id", pair);
    }),
  ),
  answer: historyEntry,
  list: "changes",
  refusals: ["record_not_found"],
});

/** The types of records whose bulk changes can be undone (D41). */
const undoableTypes = ["Timesheet", "Job"] as const satisfies readonly ChangedType[];

/** POST changes/{id}/undo: restores all records of a change, or none (D41). */
export const undoChange = operation({
  name: "undo-change",
  summary: "Undoes a change of timesheets or timers",
  method: "POST",
  path: "/api/v1/changes/{id}/undo",
  access: ["admin", "operator"],
  needsSession: true,
  keys: "act",
  companyBound: true,
  idempotent: true,
  // Other text identifies no change.
  parameters: v.object({ id: v.pipe(v.string(), changeIdForm) }),
  body: { object: "change", fields: v.object({ passcode: optionalPasscode }) },
  answer: v.object({
    change: v.object({
      id: text(64),
      undone: text(64),
      record_type: v.picklist(undoableTypes),
      record_ids: v.pipe(v.array(id), v.maxLength(mostBulkIds)),
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
