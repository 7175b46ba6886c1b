import { getUnreadCounts } from "../../shared/contract/notifications.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { findUnreadCounts } from "../../shared/notifications/notifications.ts";

/** Counts the caller's unread notifications (D26). */
export const handler = authenticated(getUnreadCounts, ({ caller }) => findUnreadCounts(caller.userId));
