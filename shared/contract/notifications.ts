import * as v from "valibot";
import { everyRole, operation } from "./operation.ts";
import { paging } from "./query.ts";
import { bulkIdsUpTo, id, openChoice, optionalField, textOrEmpty, timestamp } from "./values.ts";

/** The events of a record, as the service names them (D25). Other systems name more. */
const notificationTypes = [
  "api_key_created",
  "issued",
  "message",
  "overdue",
  "paid",
  "password_changed",
  "pending",
  "published",
  "submitted",
] as const;

/** A kind of event that users are notified of. */
export type NotificationType = (typeof notificationTypes)[number];

/** The types of record that the service notifies of. Other systems name more. */
const notificationRecordTypes = ["Chat", "Invoice", "Job", "Timesheet", "User"] as const;

/** A type of record that users are notified of. */
export type NotificationRecordType = (typeof notificationRecordTypes)[number];

const type = openChoice(notificationTypes, 100);

/** The contents of a notification as they are stored: what has happened, and any further keys. */
export const notificationParams = v.looseObject({ type });

/** Bytes of `params` as they are stored: a transaction of 30 notifications stays below DynamoDB's 4 MB. */
export const maxParamsBytes = 16_384;
/** A text made of a kind's sentence and of what `params` say; each kind's sentence and type of record are far shorter. */
const longestText = maxParamsBytes + 1_000;

const fromParams = textOrEmpty(maxParamsBytes);

/** The contents of a notification as readers get them: their text, and what the record was called (D45). */
const shownParams = v.looseObject({
  type,
  text: textOrEmpty(longestText),
  title: v.exactOptional(fromParams),
  number: v.exactOptional(fromParams),
  date: v.exactOptional(fromParams),
});

/** A notification as the interface shows it. */
export const notification = v.object({
  id,
  created_at: timestamp,
  params: shownParams,
  read_at: v.nullable(timestamp),
  record_id: id,
  record_type: openChoice(notificationRecordTypes, 100),
});

/** GET users/notifications: the caller's own, newest id first. Listing marks nothing as read (D27). */
export const listNotifications = operation({
  name: "list-notifications",
  summary: "Lists the caller's notifications, newest id first",
  method: "GET",
  path: "/api/v1/users/notifications",
  access: everyRole,
  keys: "read",
  query: v.object(paging),
  answer: notification,
  list: "notifications",
});

/** Most notifications marked in one transaction, which has one write for each and one for the counts. */
const maxMarkedTogether = 90;

/** PATCH users/notifications/bulk_update: marks the named ones, all or none; or the unread ones up to an id (D27). */
export const markNotifications = operation({
  name: "mark-notifications",
  summary: "Marks the caller's notifications as read or unread",
  method: "PATCH",
  path: "/api/v1/users/notifications/bulk_update",
  access: everyRole,
  needsSession: true,
  keys: "act",
  body: {
    object: "notification",
    fields: v.pipe(
      v.object({
        notification_ids: optionalField(bulkIdsUpTo(maxMarkedTogether)),
        up_to_id: optionalField(id),
        read: v.boolean(),
      }),
      v.forward(
        v.partialCheck(
          [["notification_ids"], ["read"]],
          ({ notification_ids: ids, read }) => read || ids !== undefined,
          "must name the notifications to be marked as unread",
        ),
        ["notification_ids"],
      ),
      v.forward(
        v.partialCheck(
          [["notification_ids"], ["up_to_id"], ["read"]],
          ({ notification_ids: ids, up_to_id, read }) => !read || ids !== undefined || up_to_id !== undefined,
          "must be the newest id that was shown, unless notification_ids names some",
        ),
        ["up_to_id"],
      ),
      v.forward(
        v.partialCheck(
          [["notification_ids"], ["up_to_id"]],
          ({ notification_ids: ids, up_to_id }) => ids === undefined || up_to_id === undefined,
          "must not be sent beside notification_ids",
        ),
        ["up_to_id"],
      ),
    ),
  },
  answer: notification,
  list: "notifications",
  refusals: ["records_not_found"],
});

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** GET users/notifications/unread_count (D26). */
export const getUnreadCounts = operation({
  name: "get-unread-counts",
  summary: "Counts the caller's unread notifications",
  method: "GET",
  path: "/api/v1/users/notifications/unread_count",
  access: everyRole,
  keys: "read",
  answer: v.object({ notifications: count, timesheets: count, jobs: count, chats: count }),
});
