import { markNotifications as operation } from "../../shared/contract/notifications.ts";
import { markAllRead, markNotifications } from "../../shared/db/notifications/mark-notifications.ts";
import { idempotent } from "../../shared/http/endpoint.ts";

/**
 * Marks the caller's own notifications: the named ones, all or none; or all unread ones as read (D27). The token alone is
 * enough, as it is to read them (D4).
 */
export const handler = idempotent(
  operation,
  ({ body: { notification_ids: ids, read }, ...context }) =>
    ids === undefined ? markAllRead(context) : markNotifications(ids, read, context),
  { authorize: () => Promise.resolve() },
);
