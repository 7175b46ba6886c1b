import {
  getUnreadCounts,
  listNotifications,
  markNotifications,
  notification,
} from "../../../shared/contract/notifications.ts";
import { notificationFields } from "./fields.ts";
import { describes, nested, shapes } from "./text.ts";

const { type, ...ownFields } = notificationFields;

export const notificationText = shapes(notification, "A notification of one user about one record.", {
  ...ownFields,
  params: nested("Details of the event. Events of other systems may have fields of their own, up to 16 KiB in all.", {
    type,
    text: [
      "Sentence to show to the user: in the user's language, or as another system sent it.",
      "A job was published: Forklift driver",
    ],
    title: ["Title of the job at that time; for jobs only.", "Forklift driver"],
    number: ["Number of the invoice; for invoices only.", "INV-2026-0042"],
    date: ["Day of the work; for timesheets only.", "2026-05-04"],
  }),
  read_at: ["Time at which it was marked as read; null while it is unread.", "2026-05-01T09:15:00.000Z"],
});

export const listNotificationsText = describes(listNotifications, {
  description: `The caller's own notifications; the text of the group \`notifications\` says who is notified of what. Each row has a sentence in the reader's
language. Reading the list marks nothing as read. To keep a badge right, poll the unread counts instead, which is
cheaper.`,
  query: {},
  answer: {
    text: "A page of your notifications.",
    fields: { notifications: ["Your notifications, read and unread, highest id first."] },
  },
});

export const markNotificationsText = describes(markNotifications, {
  description: `Marks up to 90 of your notifications as read or unread, all of them or none. With
\`up_to_id\`, the newest id that you showed, every unread one up to it is marked as read, newest first, for up to 22 seconds; call again if
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
      read: ["True to mark as read, false to mark as unread. One that is already read keeps its `read_at`.", true],
    },
  },
  answer: {
    text: "Marked. `total` says how many.",
    fields: { notifications: ["Those that were named, in that order; with `up_to_id` the newest 20 of those marked."] },
  },
});

export const getUnreadCountsText = describes(getUnreadCounts, {
  description: `Counts for badges, of the caller's own notifications. Made to be polled: it reads a single item, however many notifications there are. The counts change in the
same transaction as the notifications, so they never drift.`,
  answer: {
    text: "The counts of unread notifications.",
    fields: {
      notifications: ["All unread notifications.", 12],
      timesheets: ["Unread notifications about timesheets.", 3],
      jobs: ["Unread notifications about jobs.", 5],
      chats: ["Unread notifications about chats.", 0],
    },
  },
});
