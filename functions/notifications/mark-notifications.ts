import { markNotifications as operation } from "../../shared/contract/notifications.ts";
import { findUserAsShown } from "../../shared/db/accounts/users.ts";
import { markAllRead, markNotifications } from "../../shared/db/notifications/mark-notifications.ts";
import { idempotent } from "../../shared/http/endpoint.ts";
import { withTexts } from "../../shared/messaging/catalogues/notification-texts.ts";

/**
 * Marks the caller's own notifications: the named ones, all or none; or all unread ones as read (D27). The token alone is
 * enough, as it is to read them (D4).
 */
export const handler = idempotent(
  operation,
  async ({ body: { notification_ids: ids, read }, ...context }) => {
    const [marked, user] = await Promise.all([
      ids === undefined ? markAllRead(context) : markNotifications(ids, read, context),
      findUserAsShown(context.caller.userId),
    ]);
    return { ...marked, items: withTexts(marked.items, user?.locale) };
  },
  { authorize: () => Promise.resolve() },
);
