import { type FoundPage, type PageStart, totalBeside } from "../../contract/paging.ts";
import type { CompleteRecord } from "../../contract/records.ts";
import { defineEntity, type RecordItem, type StoredItem } from "../../table/entity.ts";
import type { Item, Key } from "../../table/table.ts";
import { type Mark, noMark, padId, queryItems } from "../../table/table.ts";
import { findTotal } from "./notification-counts.ts";

/** The interface's fields of a notification; its text is made for the reader (D45). */
export type Notification = Omit<CompleteRecord<"notification">, "user_id">;

/** A notification, as stored. */
export interface StoredNotification extends RecordItem, Partial<Mark> {
  readonly id: number;
  readonly user_id: number;
  readonly record: Omit<Notification, "id">;
  /** True if its last write requests a push (D29). */
  readonly push?: boolean | undefined;
}

/** The entity of notifications. */
export const notifications = defineEntity<StoredNotification>("notification", ({ sk }) =>
  sk.startsWith("NOTIFICATION#"),
);

/** Key of a user's notification. Ids are padded so that they sort as numbers. */
export function notificationKey(userId: number, id: number): Key {
  return { pk: `USER#${userId}`, sk: `NOTIFICATION#${padId(id)}` };
}

/** The key of an unread notification in the index `by-mark`. */
export function unreadMark(userId: number, id: number): Mark {
  return { mark_key: `USER#${userId}#UNREAD`, mark_order: padId(id) };
}

/** The same, or no key for a notification that has been read. */
export function unreadKeyOf(userId: number, id: number, { read_at }: Pick<Notification, "read_at">) {
  return read_at === null ? unreadMark(userId, id) : noMark;
}

/** The id of a notification from its row in that index. */
export function idOfUnread({ mark_order }: Item): number {
  return Number(mark_order);
}

/**
 * Access pattern N1: one page of a user's notifications, newest id first, and their total. A query and a get in
 * parallel; at most 2 read units for a page of 20.
 */
export async function findNotifications(userId: number, start: PageStart): Promise<FoundPage<Notification>> {
  const end = start.skip + start.limit;
  const [total, rows] = await Promise.all([findTotal(userId), readNewestOfUser(userId, end + 1, start.beforeId)]);
  const shown = rows.slice(start.skip, end).map(notifications.decode);
  return { items: shown.map(toNotification), total: totalBeside(rows, total, start), hasMore: rows.length > end };
}

/** Access pattern PS1: a notification that its user has not read; undefined if it is read or gone. 1 read unit. */
export async function findUnread(userId: number, notificationId: number): Promise<Notification | undefined> {
  const stored = await notifications.find(notificationKey(userId, notificationId), { consistent: true });
  return stored?.record.read_at === null ? toNotification(stored) : undefined;
}

function readNewestOfUser(userId: number, wanted: number, beforeId: number | undefined): Promise<Item[]> {
  const query = {
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :low AND :high",
    ExpressionAttributeValues: {
      ":pk": notificationKey(userId, 0).pk,
      ":low": notificationKey(userId, 0).sk,
      ":high": notificationKey(userId, beforeId === undefined ? Number.MAX_SAFE_INTEGER : beforeId - 1).sk,
    },
    ScanIndexForward: false,
  };
  return queryItems(query, wanted);
}

/** A stored notification as the interface shows it. */
export function toNotification({ id, record }: StoredNotification): Notification {
  return { id, ...record };
}
/** The entity of events of which a user was notified. The key contains both. */

export const deliveredEvents = defineEntity<StoredItem & { readonly expires_at: number }>("delivered event", ({ sk }) =>
  sk.startsWith("EVENT#"),
);
