import { markNotifications as operation } from "../../shared/contract/notifications.ts";
import { markAllRead, markNotifications } from "../../shared/db/notifications/mark-notifications.ts";
import { idempotent } from "../../shared/http/endpoint.ts";

/** Marks the caller's own notifications: the named ones, all or none; or all unread ones as read (D27). */
export const handler = idempotent(operation, async ({ body, caller, requestedAt, change, remainingMs }) => {
  const { notification_ids: ids, read } = body;
  if (ids === undefined) return markAllRead(caller.userId, requestedAt, { change, remainingMs });
  return markNotifications(caller.userId, ids, read ? requestedAt : null, { change });
});
