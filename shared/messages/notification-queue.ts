import * as v from "valibot";
import { notification, notificationParams } from "../contract/notifications.ts";
import { roles } from "../contract/operation.ts";
import { id } from "../contract/values.ts";
import { settings } from "../run/settings.ts";
import { queueMessages, requestIdField } from "./queue.ts";

/** Most users in one message. An event with more recipients becomes several messages. */
export const maxUsersPerMessage = 200;

/** The rule for the recipients: a company's users in a role, from a position on, or the first of them; a driver; or listed users. */
const recipients = v.union([
  v.strictObject({
    company: id,
    role: v.picklist(roles),
    after: v.optional(v.string()),
    most: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxUsersPerMessage))),
  }),
  v.strictObject({ profile: id }),
  v.strictObject({ users: v.pipe(v.array(id), v.minLength(1), v.maxLength(maxUsersPerMessage)) }),
]);

/** A notification on its way to delivery. Each recipient except the actor gets it once for each `eventId` (D25). */
export const notificationMessage = v.object({
  eventId: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  record_type: notification.entries.record_type,
  record_id: notification.entries.record_id,
  params: notificationParams,
  actorId: v.optional(id),
  /** The record's state that it reports, of records with one (D25). */
  state: v.optional(v.string()),
  requestId: requestIdField,
  recipients,
});

/** A notification and its recipients. */
export type NotificationMessage = v.InferOutput<typeof notificationMessage>;

/** Queues notifications. Fails unless all are queued. */
export function queueNotifications(messages: readonly NotificationMessage[]): Promise<void> {
  return queueMessages(settings.queueUrl("notifications"), messages);
}
