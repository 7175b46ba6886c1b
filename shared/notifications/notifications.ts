import type * as v from "valibot";
import type { getUnreadCounts } from "../contract/notifications.ts";
import type { CompleteRecord, RemovalLine, UpsertLine } from "../contract/records.ts";
import { mergeNotification } from "../records/merge.ts";
import { type FoundPage, type PageStart, totalBeside } from "../run/paging.ts";
import { defineEntity, type RecordItem, type StoredItem } from "../table/entity.ts";
import { deleteItem, type Outcome, type WriteContext } from "../table/plans.ts";
import { removeRecord, upsertRecord } from "../table/record-plans.ts";
import { type Item, type Key, type Mark, noMark, padId, queryItems } from "../table/table.ts";
import { type TransactionWrite, updateOf } from "../table/writes.ts";
import { countOfRecordType, isPushed } from "./kinds.ts";

/** A user's unread notifications: the total, and by record type (D26). */
type UnreadCounts = v.InferOutput<typeof getUnreadCounts.answer>;

/** The counts of a user's notifications. A count that never changed is absent. */
type Counts = Partial<UnreadCounts> & { readonly total?: number };

/** A user's notification counts, as stored. */
interface StoredCounts extends StoredItem, Counts {}

/** The entity of notification counts. */
export const notificationCounts = defineEntity<StoredCounts>("notification counts", ({ sk }) => sk === "COUNTS");

/** The fields of a notification that decide its counts. */
interface Counted {
  readonly record: { readonly record_type: string; readonly read_at: string | null };
}

/** Key of a user's notification counts. */
export function countsKey(userId: number): Key {
  return { pk: `USER#${userId}`, sk: "COUNTS" };
}

/** Access pattern N2: a user's unread counts. Half a read unit. */
export async function findUnreadCounts(userId: number): Promise<UnreadCounts> {
  const counts = await notificationCounts.find(countsKey(userId));
  const { notifications = 0, timesheets = 0, jobs = 0, chats = 0 } = counts ?? {};
  return { notifications, timesheets, jobs, chats };
}

/** The number of a user's notifications, read or not. Half a read unit. */
async function findTotal(userId: number): Promise<number> {
  return (await notificationCounts.find(countsKey(userId)))?.total ?? 0;
}

/**
 * The write that changes a user's counts by the difference between notifications before and after, or none if that is
 * 0. It must be in the transaction that writes them (D26).
 */
export function addCounts(userId: number, before: readonly Counted[], after: readonly Counted[]): TransactionWrite[] {
  const sums = countNames.map((name) => [name, countOf(name, after) - countOf(name, before)] as const);
  const changes = sums.filter(([, sum]) => sum !== 0);
  if (changes.length === 0) return [];
  return [{ Update: updateOf(countsKey(userId), { add: Object.fromEntries(changes) }) }];
}

/** Deletes a user's counts if they are unchanged since the read. */
export function deleteCounts({ pk, sk, total = 0 }: StoredCounts): TransactionWrite {
  return {
    Delete: {
      Key: { pk, sk },
      ConditionExpression: "#total = :total",
      ExpressionAttributeNames: { "#total": "total" },
      ExpressionAttributeValues: { ":total": total },
    },
  };
}

const countNames = ["total", "notifications", "timesheets", "jobs", "chats"] as const satisfies (keyof Counts)[];

function countOf(name: (typeof countNames)[number], items: readonly Counted[]): number {
  if (name === "total") return items.length;
  const unread = items.filter(({ record }) => !record.read_at);
  if (name === "notifications") return unread.length;
  return unread.filter(({ record }) => countOfRecordType(record.record_type) === name).length;
}

/** The interface's fields of a notification; its text is made for the reader (D45). */
export type Notification = Omit<CompleteRecord<"notification">, "user_id">;

/** A notification, as stored. */
export interface StoredNotification extends RecordItem, Partial<Mark> {
  readonly id: number;
  readonly user_id: number;
  readonly record: Omit<Notification, "id">;
  /** True if its last write requests a push (D29). */
  readonly push?: boolean | undefined;
  /** Ids of the devices that its push reached while others failed; absent if none failed. */
  readonly pushed_to?: readonly number[];
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

/**
 * Access pattern N3: adds or changes a user's notification, and in the same transaction the user's counts if they
 * change (D26). One read unit; two write units, four with the counts.
 */
export function saveNotification(line: UpsertLine<"notification">, context: WriteContext): Promise<Outcome> {
  const key = notificationKey(line.user_id, line.id);
  return upsertRecord(notifications, key, line, context, (stored) => {
    const next = merge(line, stored, context.now);
    const writes = addCounts(line.user_id, stored ? [stored] : [], [next]);
    const { record_type, params } = next.record;
    const push = (context.notifies && isPushed(record_type, params.type)) || undefined;
    return { next: { ...next, push }, writes };
  });
}

/** Access pattern N4: removes a user's notification, and updates the counts in the same transaction. */
export function removeNotification(line: RemovalLine<"notification">, context: WriteContext): Promise<Outcome> {
  return removeRecord(notifications, notificationKey(line.user_id, line.id), line, context, (stored) => ({
    writes: addCounts(line.user_id, [stored], []),
  }));
}

/** The writes that delete a user's notifications if they are unchanged since the read, and update the counts. */
export function deleteNotifications(userId: number, stored: readonly StoredNotification[]): TransactionWrite[] {
  return [...stored.map(deleteItem), ...addCounts(userId, stored, [])];
}

/** The notification after a line. */
function merge(
  line: UpsertLine<"notification">,
  stored: StoredNotification | undefined,
  now: Date,
): StoredNotification {
  const whole = stored && { id: stored.id, user_id: stored.user_id, ...stored.record };
  const { id, user_id, ...record } = mergeNotification(whole, line, now);
  const revision = stored?.revision ?? 0;
  const place = unreadKeyOf(user_id, id, record);
  return { ...stored, ...notificationKey(user_id, id), id, user_id, record, revision, ...place };
}
