import type { RemovalLine, UpsertLine, WholeRecord } from "../contract/records.ts";
import { mergeNotification } from "../domain/record-merge.ts";
import {
  changeItem,
  deleteItem,
  isSameItem,
  isStale,
  type Outcome,
  replaceItem,
  type WriteContext,
} from "./changes.ts";
import { countsKey, notificationKey } from "./keys.ts";
import type { Item } from "./table.ts";
import type { TransactionWrite } from "./transaction.ts";

/**
 * Access pattern N3: adds or changes a user's notification, and the user's counts in the same transaction where they
 * change (D26). One read unit; two write units, four with the counts' one item.
 */
export function saveNotification(line: UpsertLine<"notification">, context: WriteContext): Promise<Outcome> {
  const key = notificationKey(line.user_id, line.id);
  return changeItem(key, context, (stored) => {
    if (isStale(line, stored)) return { outcome: "stale" };
    const { id, user_id, ...record } = mergeNotification(stored && toWhole(stored), line, context.now);
    const version = line.version ?? stored?.version;
    const next = { ...stored, ...key, id, user_id, record, version };
    if (isSameItem(stored, next)) return { outcome: "unchanged" };
    const counts = addCounts(user_id, stored ? [stored] : [], [next]);
    return { outcome: stored ? "updated" : "created", writes: [replaceItem(stored, next), ...counts] };
  });
}

/** Access pattern N4: removes a user's notification, and takes it out of the counts in the same transaction. */
export function removeNotification(line: RemovalLine<"notification">, context: WriteContext): Promise<Outcome> {
  return changeItem(notificationKey(line.user_id, line.id), context, (stored) => {
    if (!stored) return { outcome: "unchanged" };
    if (isStale(line, stored)) return { outcome: "stale" };
    return { outcome: "removed", writes: deleteNotifications(line.user_id, [stored]) };
  });
}

/** The writes that delete a user's notifications, as they were read, and take them out of the counts. */
export function deleteNotifications(userId: number, stored: readonly Item[]): TransactionWrite[] {
  return [...stored.map(deleteItem), ...addCounts(userId, stored, [])];
}

/** Adds to the counts what notifications count for after a change, less what they did before; nothing where that is 0. */
function addCounts(userId: number, before: readonly Item[], after: readonly Item[]): TransactionWrite[] {
  const names = ["total", "notifications", "timesheets", "jobs", "chats"] as const;
  const sums = names.map((name) => [name, countOf(name, after) - countOf(name, before)] as const);
  const changes = sums.filter(([, sum]) => sum !== 0);
  if (changes.length === 0) return [];
  return [
    {
      Update: {
        Key: countsKey(userId),
        UpdateExpression: `ADD ${changes.map(([name]) => `#${name} :${name}`).join(", ")}`,
        ExpressionAttributeNames: Object.fromEntries(changes.map(([name]) => [`#${name}`, name])),
        ExpressionAttributeValues: Object.fromEntries(changes.map(([name, sum]) => [`:${name}`, sum])),
      },
    },
  ];
}

const countedTypes = { timesheets: "Timesheet", jobs: "Job", chats: "Chat" } as const;

function countOf(name: "total" | "notifications" | keyof typeof countedTypes, items: readonly Item[]): number {
  if (name === "total") return items.length;
  const unread = items.map(({ record }) => record as WholeRecord<"notification">).filter((each) => !each.read_at);
  if (name === "notifications") return unread.length;
  return unread.filter((each) => each.record_type === countedTypes[name]).length;
}

function toWhole({ id, user_id, record }: Item): WholeRecord<"notification"> {
  return { id, user_id, ...(record as object) } as WholeRecord<"notification">;
}
