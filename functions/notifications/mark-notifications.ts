import { markNotifications as operation } from "../../shared/contract/notifications.ts";
import { markAllRead, markNotifications } from "../../shared/db/notifications/notification-marks.ts";
import { forRepeatable } from "../../shared/http/idempotency.ts";

/** Marks notifications of the caller's own: those named, all or none of them, or all that are unread as read (D27). */
export const handler = forRepeatable(operation, async ({ body, caller, askedAt, token }) => {
  const { notification_ids: ids, read } = body;
  if (ids === undefined) {
    const { newest, total } = await markAllRead(caller.userId, askedAt);
    return { items: newest, total };
  }
  const notifications = await markNotifications(caller.userId, ids, read ? askedAt : null, token);
  return { items: notifications, total: notifications.length };
});
