import type { CompleteRecord, RemovalLine, UpsertLine } from "../../contract/records.ts";
import { mergeNotification } from "../../domain/records/record-merge.ts";
import { countsKey, type Mark, notificationKey, unreadMark } from "../table/keys.ts";
import type { Item } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { undecoded } from "../table/undecoded.ts";
import { deleteItem, isSameItem, type Outcome, replaceItem, type WriteContext } from "../writes/changes.ts";
import { removeRecord, upsertRecord } from "../writes/record-changes.ts";
import type { Notification } from "./notifications.ts";

/**
 * Access pattern N3: adds or changes a user's notification, and the user's counts in the same transaction where they
 * change (D26). One read unit; two write units, four with the counts' one item.
 */
export function saveNotification(line: UpsertLine<"notification">, context: WriteContext): Promise<Outcome> {
  const key = notificationKey(line.user_id, line.id);
  return upsertRecord(undecoded, key, line, context, (stored) => {
    const { id, user_id, ...record } = mergeNotification(stored && toWhole(stored), line, context.now);
    const version = line.version ?? stored?.version;
    const next = { ...stored, ...key, id, user_id, record, version, ...unreadMarkOf(user_id, id, record) };
    if (isSameItem(stored, next)) return { outcome: "unchanged" };
    const counts = addCounts(user_id, stored ? [stored] : [], [next]);
    const write = replaceItem(stored, { ...next, push: context.notifies ? true : undefined }, context);
    return { outcome: stored ? "updated" : "created", writes: [write, ...counts] };
  });
}

/** Access pattern N4: removes a user's notification, and takes it out of the counts in the same transaction. */
export function removeNotification(line: RemovalLine<"notification">, context: WriteContext): Promise<Outcome> {
  return removeRecord(undecoded, notificationKey(line.user_id, line.id), line, context, (stored) =>
    deleteNotifications(line.user_id, [stored]),
  );
}

/** The writes that delete a user's notifications, as they were read, and take them out of the counts. */
export function deleteNotifications(userId: number, stored: readonly Item[]): TransactionWrite[] {
  return [...stored.map((item) => deleteItem(undecoded.decode(item))), ...addCounts(userId, stored, [])];
}

/** The place of a notification in the index of what its user has not read; none for a read one, undefined in both parts. */
export function unreadMarkOf(
  userId: number,
  id: number,
  { read_at }: Pick<Notification, "read_at">,
): { readonly [Part in keyof Mark]: Mark[Part] | undefined } {
  return read_at === null ? unreadMark(userId, id) : { mark_key: undefined, mark_order: undefined };
}

/**
 * Adds to a user's counts what notifications count for after a change, less what they did before: one write, or none where
 * that is 0. It belongs into the transaction that writes them (D26).
 */
export function addCounts(userId: number, before: readonly Item[], after: readonly Item[]): TransactionWrite[] {
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
  const unread = items.map(({ record }) => record as CompleteRecord<"notification">).filter((each) => !each.read_at);
  if (name === "notifications") return unread.length;
  return unread.filter((each) => each.record_type === countedTypes[name]).length;
}

function toWhole({ id, user_id, record }: Item): CompleteRecord<"notification"> {
  return { id, user_id, ...(record as object) } as CompleteRecord<"notification">;
}
