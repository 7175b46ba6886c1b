import { getUnreadCounts } from "../../shared/contract/notifications.ts";
import { findUnreadCounts } from "../../shared/db/notifications/notification-counts.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Counts the caller's unread notifications (D26). */
export const handler = authenticated(getUnreadCounts, ({ caller }) => findUnreadCounts(caller.userId));
