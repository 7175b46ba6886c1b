import { markNotifications as operation } from "../../shared/contract/notifications.ts";
import { markAllRead, markNotifications } from "../../shared/db/notifications/mark-notifications.ts";
import { idempotent } from "../../shared/http/endpoint.ts";
import { withTexts } from "../../shared/messaging/catalogues/notification-texts.ts";

/** Marks the caller's own notifications: the named ones, all or none; or all unread ones as read (D27). */
export const handler = idempotent(operation, async ({ body: { notification_ids: ids, read }, ...context }) => {
  const marked = await (ids === undefined ? markAllRead(context) : markNotifications(ids, read, context));
  const { user } = await context.actor;
  return { ...marked, items: withTexts(marked.items, user.locale) };
});
