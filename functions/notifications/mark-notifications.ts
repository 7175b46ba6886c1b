import { markNotifications as operation } from "../../shared/contract/notifications.ts";
import { inSession } from "../../shared/http/endpoint.ts";
import { withNotificationTexts } from "../../shared/notifications/words.ts";
import { markByIds, markReadUpTo } from "./marking.ts";

/** Marks the caller's own notifications: the named ones, all or none; or the unread ones up to an id as read (D27). */
export const handler = inSession(operation, async ({ body, ...context }) => {
  const { notification_ids: ids = [], up_to_id: newestId, read } = body;
  const marked = await (newestId ? markReadUpTo(newestId, context) : markByIds(ids, read, context));
  const { user } = await context.actor;
  return { ...marked, items: withNotificationTexts(marked.items, user.locale) };
});
