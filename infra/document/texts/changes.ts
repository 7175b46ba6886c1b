import { actor, historyEntry, listChanges, undoChange } from "../../../shared/contract/changes.ts";
import { describes, nested, shapes } from "./text.ts";

export const actorText = shapes(actor, "The author of a change: a person, or an automatic process.", {
  kind: [
    "`user`: a user. `import`: a file that was loaded. `event`: another system. `schedule`: a daily run. `tool`: an engineer's command. `service`: a caller without a token, such as with a pin. `unknown`: the write did not name one.",
    "user",
  ],
  id: [
    "Id of the user; of an import its run; of an event its source and id, with a `#` between; else a name. Null if `unknown`.",
    "2",
  ],
  name: ["Name of the user; null for users who were removed, and for other authors.", "Olivia Hart"],
});

export const changeText = shapes(historyEntry, "What is kept of a change of one record.", {
  id: ["Id of the entry, which never changes.", "7Jd0Qp2mZk1xVbN4sTyW9A"],
  change_id: [
    "Id of the change: the same for all records that one call or one import wrote; null if unknown.",
    "019de2a6-1c40-7a31-9f0e-3d1d4c1a7b52",
  ],
  at: ["Time of the change.", "2026-05-01T08:30:00.000Z"],
  record_type: [
    "Type of the record, as in notifications, or `Import` for the new records of one file together; more types may be added.",
    "Timesheet",
  ],
  record_id: [
    "Id of the record, which may have been removed since; null for an `Import`, which is about many records.",
    1,
  ],
  action: [
    "`created`, `updated` or `removed`; `session_ended` when a user was signed out in one place, `imported` of an `Import`.",
    "updated",
  ],
  by: ["Author of the change."],
  operation: ["Operation, worker or command that made the change; null if unknown.", "bulk-update-timesheets"],
  request_id: ["`x-request-id` of the request that made the change; null if no request did.", "JKJaXmPLvHcESHA="],
  key_id: ["Id of the API key that the user made it with; null without one.", null],
  fields: nested("Changed fields. Secrets appear as `changed`, never with a value.", {
    name: ["Name of the field.", "state"],
    before: ["Value before the change, of any type; null if there was none.", "pending"],
    after: ["Value after the change, of any type; null if there is none.", "paid"],
  }),
});

export const listChangesText = describes(listChanges, {
  description: `Answers "who set this to paid?". Ask for one record, for what one user did, for everything that one call changed, or for a
company. One such filter at a time: others together are 422. Without a filter, operators get what happened in their company, and
admins 422, whose \`errors\` name the filters.

Admins see everything. Operators see timesheets, invoices and jobs of their own company, and never users or their sessions; another
company's record is 404 like an absent one. Entries appear a moment after a change, and are kept for 400 days unless the service
says otherwise. There is no \`total\`: follow \`rel="next"\` until it is absent. A page may be short, or empty, before that.`,
  query: {
    record_type: ["Type of the record whose changes are wanted, together with `record_id`.", "Timesheet"],
    record_id: ["Id of the record whose changes are wanted, together with `record_type`. It may have been removed.", 1],
    // Only one filter may be sent, so only one has an example.
    by_user: ["Id of a user: only what that user changed."],
    by_company: [
      "Id of a company: only changes of records that belonged to it at that time. Other users than admins get an empty list for a company that is not theirs.",
    ],
    change_id: ["Id of a change: only its entries. The header `change-id` of a bulk update has it."],
  },
  answer: {
    text: "A page of changes; those of the same moment stand in a fixed order.",
    fields: { changes: ["Changes, newest first."] },
  },
});

export const undoChangeText = describes(undoChange, {
  description: `Takes back one \`bulk_update\` of timesheets, one \`adjust_timer\`, or an earlier undo of either, by the \`change-id\` that
its answer had. Every record that it changed gets the former values again, all at once; if even one was written since, none does
(409 with \`changed_ids\`). It works for 24 hours, for whoever made the change and still has that role and company, and for admins. A
change that is not yours counts as absent (404).

Drivers are notified of the state that holds again. A notification of the change that has not been delivered yet is dropped; one that
has been delivered stays. An undo is a change itself: undo it by the \`change-id\` of its own answer.`,
  parameters: {
    id: ["The `change-id` of the change that is to be undone.", "0196f2a4-5c80-8b1e-8000-00000000020e"],
  },
  body: {
    text: "The authorisation of the undo; an empty object for users without a passcode.",
    fields: {
      passcode: ["Your payment passcode, where one was set for you: an undo asks for it as `bulk_update` does.", 4821],
    },
  },
  answer: {
    text: "All records of the change are as they were before it.",
    fields: {
      change: nested("The change that the undo made.", {
        id: ["Id of the undo, as in the header `change-id`.", "0196f2a9-1f40-84c7-8000-000000000255"],
        undone: ["Id of the change that was undone.", "0196f2a4-5c80-8b1e-8000-00000000020e"],
        record_type: ["Type of the records that were put back, as in notifications.", "Timesheet"],
        record_ids: [
          "Ids of the records that were put back. Those that the change had not changed are not among them.",
          [2, 1],
        ],
      }),
    },
  },
});
