import { listNotifications } from "../../shared/contract/notifications.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { findNotifications } from "../../shared/notifications/notifications.ts";
import { withNotificationTexts } from "../../shared/notifications/words.ts";
import { findUserAsShown } from "../../shared/people/users.ts";
import { readPage } from "../../shared/run/paging.ts";

/** Lists the caller's own notifications in their language, newest id first, and marks nothing as read (D27, D30, D45). */
export const handler = authenticated(listNotifications, async ({ query, caller }) => {
  const [page, user] = await Promise.all([
    readPage(listNotifications, query, (start) => findNotifications(caller.userId, start)),
    findUserAsShown(caller.userId),
  ]);
  return { ...page, items: withNotificationTexts(page.items, user?.locale) };
});
