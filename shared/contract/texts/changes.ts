import { undoChange } from "../changes.ts";
import { describes, nested } from "./text.ts";

export const undoChangeText = describes(undoChange, {
  description: `Takes back one \`bulk_update\` of timesheets, one \`adjust_timer\`, or an earlier undo of either, by the \`change-id\` that
its answer had. Every record that it changed gets the former values again, all at once; if even one was written since, none does
(409 with \`changed_ids\`). It works for 24 hours, for whoever made the change and still has that role and company, and for admins. A
change that is not yours counts as absent (404).

Drivers who have neither read a notification of the change nor got a push of it lose it and hear nothing; the others are notified of
the state that holds again. An undo is a change itself: undo it by the \`change-id\` of its own answer.`,
  parameters: {
    id: ["The `change-id` of the change that is to be undone.", "0196f2a4-5c80-8b1e-8000-00000000020e"],
  },
  body: {
    text: "What authorises the undo; an empty object for users without a passcode.",
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
        record_type: ["What was put back: timesheets, or jobs with their timers.", "timesheet"],
        record_ids: [
          "The records that were put back. Those that the change had left alone are not among them.",
          [2, 1],
        ],
      }),
    },
  },
});
