import type * as v from "valibot";
import type { getUnreadCounts, notification } from "../../contract/notifications.ts";
import type { PageStart } from "../../domain/paging/paging.ts";
import { countsKey, notificationKey } from "../table/keys.ts";
import { getItem, type Item, queryPages } from "../table/table.ts";

/** A notification as the interface shows it. */
export type Notification = v.InferOutput<typeof notification>;

/** A user's unread notifications, in all and by what they refer to (D26). */
export type UnreadCounts = v.InferOutput<typeof getUnreadCounts.answer>;

/** One page of a user's notifications. */
export interface NotificationPage {
  readonly items: readonly Notification[];
  readonly total: number;
  readonly hasMore: boolean;
}

/**
 * Access pattern N1: one page of a user's notifications, newest id first, and how many there are. A query and a get in
 * parallel; at most 2 read units for a page of 20.
 */
export async function findNotifications(userId: number, start: PageStart): Promise<NotificationPage> {
  const wanted = start.skip + start.limit + 1;
  const [counts, rows] = await Promise.all([getItem(countsKey(userId)), readNewest(userId, wanted, start.beforeId)]);
  const end = start.skip + start.limit;
  return {
    items: rows.slice(start.skip, end).map(toNotification),
    total: Number(counts?.total ?? 0),
    hasMore: rows.length > end,
  };
}

/** Access pattern N2: a user's unread counts. Half a read unit. */
export async function findUnreadCounts(userId: number): Promise<UnreadCounts> {
  const counts = await getItem(countsKey(userId));
  const count = (name: string) => Number(counts?.[name] ?? 0);
  return {
    notifications: count("notifications"),
    timesheets: count("timesheets"),
    jobs: count("jobs"),
    chats: count("chats"),
  };
}

async function readNewest(userId: number, wanted: number, beforeId: number | undefined): Promise<Item[]> {
  const rows: Item[] = [];
  const pages = queryPages({
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :low AND :high",
    ExpressionAttributeValues: {
      ":pk": countsKey(userId).pk,
      ":low": notificationKey(userId, 0).sk,
      ":high": notificationKey(userId, beforeId === undefined ? Number.MAX_SAFE_INTEGER : beforeId - 1).sk,
    },
    ScanIndexForward: false,
    Limit: wanted,
  });
  for await (const page of pages) {
    rows.push(...page);
    if (rows.length >= wanted) break;
  }
  return rows.slice(0, wanted);
}

/** A stored notification as the interface shows it. */
export function toNotification({ id, record }: Item): Notification {
  return { id, ...(record as object) } as Notification;
}
