import { getUnreadCounts, listNotifications, markNotifications, notification } from "../notifications.ts";
import { describes, nested, shapes } from "./text.ts";

export const notificationText = shapes(notification, "Reports to one user what happened to one record.", {
  id: ["Number of the notification; later ones are higher.", 20_012],
  created_at: ["When it happened.", "2026-05-01T08:30:00.000Z"],
  params: nested("The event. Events of other systems add keys of their own, up to 16 KiB in all.", {
    type: [
      "The event. Later releases and other systems have more than those listed: show `text` for any.",
      "published",
    ],
    text: [
      "A sentence to show as it is: in your language, or as another system sent it.",
      "A job was published: Forklift driver",
    ],
    title: ["Of a job its title, as it was when it was notified.", "Forklift driver"],
    number: ["The invoice's number; absent of everything that has none.", "INV-2026-0042"],
    date: ["The day that was worked, of a timesheet alone.", "2026-05-04"],
  }),
  read_at: ["When it was marked as read; null while it counts as unread.", "2026-05-01T09:15:00.000Z"],
  record_id: ["Leads to the record itself, by the operation that shows one of its kind.", 7],
  record_type: [
    "Kind of the record: `Job`, `Timesheet`, `Invoice`, `User`, `Chat`, or one that another system named.",
    "Job",
  ],
});

export const listNotificationsText = describes(listNotifications, {
  description: `The inbox of whoever calls, and nobody else's; the text of the group \`notifications\` says who is notified of what. Each row has a sentence in the reader's
language. Fetching it marks nothing: mark what was really looked at. To keep a badge right, poll the unread counts instead, which is
cheaper.`,
  query: {},
  answer: {
    text: "A page of your notifications.",
    fields: { notifications: ["Your notifications, the most recent id at the top, read and unread together."] },
  },
});

export const markNotificationsText = describes(markNotifications, {
  description: `Names up to 90 of your notifications and says whether they are read. Like other bulk changes it is all or nothing. With
\`up_to_id\`, the newest id that you showed, it empties the badge: every unread one up to it is marked, newest first, for up to 22 seconds; call again if
there were more than some 10,000. A repetition marks none that was made later. The counts are exact at every moment.`,
  body: {
    text: "Which notifications, and their new state.",
    fields: {
      notification_ids: [
        "1 to 90 of your own ids. Leave it out if you send `up_to_id`; to mark as unread it is required.",
        [2, 1],
      ],
      up_to_id: [
        "In place of ids, with `read: true`: this one and all before it are read. It need not be one of yours.",
      ],
      read: [
        "True to mark as read, false to bring back as unread. One that is already read keeps its `read_at`.",
        true,
      ],
    },
  },
  answer: {
    text: "Marked. `total` says how many.",
    fields: { notifications: ["Those that were named, in that order; with `up_to_id` the newest 20 of those marked."] },
  },
});

export const getUnreadCountsText = describes(getUnreadCounts, {
  description: `Numbers for the badges of any user, of their own notifications. Made to be polled: it reads a single item, whatever the length of the inbox. The counts change in the
same transaction as the notifications, so they never drift.`,
  answer: {
    text: "The numbers of unread notifications at this moment.",
    fields: {
      notifications: ["All that is unread, of whatever kind.", 12],
      timesheets: ["Unread ones about timesheets: new ones for operators, payments for drivers.", 3],
      jobs: ["Those whose `record_type` is `Job`.", 5],
      chats: ["Messages of chats that wait to be opened.", 0],
    },
  },
});
