import { actor, historyEntry, listChanges, undoChange } from "../changes.ts";
import { describes, nested, shapes } from "./text.ts";

export const actorText = shapes(actor, "The author of a change: a person, or an automatic process.", {
  kind: [
    "`user`: somebody signed in. `import`: a file that was loaded. `event`: another system. `schedule`: a daily run. `tool`: an engineer's command. `service`: somebody without a token, such as with a pin. `unknown`: written before this was kept.",
    "user",
  ],
  id: [
    "Of a user the id; of an import its run; of an event its source and id, with a `#` between; else a name. Null when `unknown`.",
    "2",
  ],
  name: ["The present name of that user; null for users who were removed, and for other authors.", "Olivia Hart"],
});

export const changeText = shapes(historyEntry, "The effect of one change on one record.", {
  id: ["Unique and stable: whoever copies the history meets each entry under one id.", "7Jd0Qp2mZk1xVbN4sTyW9A"],
  change_id: [
    "Shared by everything that one call or one import wrote. Null for a write that did not say it.",
    "019de2a6-1c40-7a31-9f0e-3d1d4c1a7b52",
  ],
  at: ["When it was asked for.", "2026-05-01T08:30:00.000Z"],
  record_type: [
    "Kind of the record, as in notifications, or `Import` for the new records of one file together; more kinds may come.",
    "Timesheet",
  ],
  record_id: ["Leads to what was changed, which may be gone by now; null for an `Import`, which is about many.", 1],
  action: [
    "`created`, `updated` or `removed`; `session_ended` when a user was signed out in one place, `imported` of an `Import`.",
    "updated",
  ],
  by: ["Whose doing it was."],
  operation: ["The operation, worker or command that wrote it; null where nobody kept that.", "bulk-update-timesheets"],
  request_id: ["The `x-request-id` of the call behind it; null where no call began it.", "JKJaXmPLvHcESHA="],
  fields: nested("The fields that differ, by name. Secrets appear as `changed`, never with a value.", {
    name: ["Name of the field, as the record has it.", "state"],
    before: ["Its former value, whatever type that has; null where there was none.", "pending"],
    after: ["Its value since then; null where it went away.", "paid"],
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
    record_type: ["Kind of the record whose story you want, together with `record_id`.", "Timesheet"],
    record_id: ["Id of that record. It may have been removed.", 1],
    // Only one filter may be sent, so only one has an example.
    by_user: ["Only what the user with this id did."],
    by_company: ["Records that belonged to this company then. Not yours: an empty list."],
    change_id: ["Everything under one `change_id`, such as the header of a bulk update names."],
  },
  answer: {
    text: "A page of changes; those of the same moment stand in a fixed order.",
    fields: { changes: ["The changes found, latest at the top."] },
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
      change: nested("The change that undid the other.", {
        id: ["Its own id, as in the header `change-id`.", "0196f2a9-1f40-84c7-8000-000000000255"],
        undone: ["The id that was asked for.", "0196f2a4-5c80-8b1e-8000-00000000020e"],
        record_type: [
          "The restored records: timesheets, or jobs with their timers; named as in notifications.",
          "Timesheet",
        ],
        record_ids: [
          "The records that were put back. Those that the change had left alone are not among them.",
          [2, 1],
        ],
      }),
    },
  },
});
