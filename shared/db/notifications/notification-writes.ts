import type { RemovalLine, UpsertLine } from "../../contract/records.ts";
import { isPushed } from "../../domain/records/notification-kinds.ts";
import { mergeNotification } from "../../records/merge.ts";
import { deleteItem, type Outcome, type WriteContext } from "../../table/plans.ts";
import { removeRecord, upsertRecord } from "../../table/record-plans.ts";
import type { TransactionWrite } from "../../table/writes.ts";
import { addCounts } from "./notification-counts.ts";
import { notificationKey, notifications, type StoredNotification, unreadKeyOf } from "./notifications.ts";

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
