import {
  countsKey,
  notificationCounts,
  notificationKey,
  notifications,
  unreadMark,
} from "../../shared/notifications/notifications.ts";
import { putItems } from "../support/records/items.ts";

/** The id of the first; all of them have as many digits. */
export const firstOfMany = 1_000_001;

/** Puts so many unread notifications of a user, and their counts, as the service leaves them; with further `params`. */
export async function putNotifications(userId: number, count: number, params: object = {}): Promise<void> {
  const counts = { ...countsKey(userId), total: count, notifications: count, jobs: count };
  const items = Array.from({ length: count }, (_, at) => notificationOf(userId, firstOfMany + at, params));
  await putItems([notificationCounts.encode(counts), ...items]);
}

function notificationOf(userId: number, id: number, params: object) {
  const about = { record_type: "Job", record_id: 12, params: { type: "published", ...params } };
  const record = { ...about, created_at: "2026-05-01T09:00:00.000Z", read_at: null };
  const place = { ...notificationKey(userId, id), id, user_id: userId, ...unreadMark(userId, id) };
  return notifications.encode({ ...place, record, revision: 1 });
}
