import type * as v from "valibot";
import type { getUnreadCounts } from "../../contract/notifications.ts";
import { countOfRecordType } from "../../domain/records/notification-kinds.ts";
import { defineEntity, type StoredItem } from "../../table/entity.ts";
import type { Key } from "../../table/table.ts";
import type { TransactionWrite } from "../../table/writes.ts";
import { updateOf } from "../../table/writes.ts";

/** A user's unread notifications: the total, and by record type (D26). */
export type UnreadCounts = v.InferOutput<typeof getUnreadCounts.answer>;

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
export async function findTotal(userId: number): Promise<number> {
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
