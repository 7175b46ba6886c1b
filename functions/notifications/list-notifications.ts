import { listNotifications } from "../../shared/contract/notifications.ts";
import { findNotifications } from "../../shared/db/notifications/notifications.ts";
import { readPage } from "../../shared/domain/paging/paging.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Lists the caller's own notifications, newest id first, and marks nothing as read (D27, D30). */
export const handler = authenticated(listNotifications, ({ query, caller }) =>
  readPage(listNotifications, query, (start) => findNotifications(caller.userId, start)),
);
