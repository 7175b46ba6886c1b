import { getUnreadCounts } from "../../shared/contract/notifications.ts";
import { findUnreadCounts } from "../../shared/db/notifications/notifications.ts";
import { forSignedIn } from "../../shared/http/endpoint.ts";

/** Counts the caller's unread notifications (D26). */
export const handler = forSignedIn(getUnreadCounts, ({ caller }) => findUnreadCounts(caller.userId));
