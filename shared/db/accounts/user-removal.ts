import type { RemovalLine } from "../../contract/records.ts";
import { deleteNotifications } from "../notifications/notification-writes.ts";
import { busy } from "../table/conflicts.ts";
import { deviceTokenKey, recordKey } from "../table/keys.ts";
import { type Item, queryPages } from "../table/table.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import { undecoded } from "../table/undecoded.ts";
import { deleteItem, type Outcome, type WriteContext } from "../writes/changes.ts";
import { removeRecord } from "../writes/record-changes.ts";
import { releaseUniqueKey } from "../writes/unique-keys.ts";
import { uniqueKeysOf } from "./user-writes.ts";

const maxPurges = 10;

/**
 * Access pattern U5: removes a user. First the user, its logins and its profile, in one transaction; then sessions,
 * devices, notifications and counts. Cut short, it is finished by repeating it.
 */
export async function removeUser(line: RemovalLine<"user">, context: WriteContext): Promise<Outcome> {
  const outcome = await removeRecord(undecoded, recordKey("USER", line.id), line, context, (stored) => [
    deleteItem(stored),
    ...uniqueKeysOf(stored, context.now).map(releaseUniqueKey),
  ]);
  if (outcome === "stale" || context.dryRun) return outcome;
  return (await purgePartition(line.id)) ? "removed" : outcome;
}

/** Deletes what a user leaves behind, until nothing more is found; true when there was something. */
async function purgePartition(userId: number): Promise<boolean> {
  for (let sweep = 0; sweep < maxPurges; sweep += 1) {
    const leftovers = await findLeftovers(userId);
    if (leftovers.length === 0) return sweep > 0;
    // Notifications take themselves out of the counts; only then may the counts go.
    const notifications = leftovers.filter(isNotification);
    const others = leftovers.filter((item) => !isNotification(item) && (notifications.length === 0 || !isCounts(item)));
    for (const chunk of chunksOf(notifications)) await transact(deleteNotifications(userId, chunk));
    for (const chunk of chunksOf(others)) await transact(chunk.flatMap((item) => deleteRemains(userId, item)));
  }
  throw busy();
}

async function findLeftovers(userId: number): Promise<Item[]> {
  const { pk, sk } = recordKey("USER", userId);
  const pages = queryPages({
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": pk },
    ConsistentRead: true,
  });
  const stays = (item: Item) => item.sk === sk || isRemovalMark(item);
  const items: Item[] = [];
  for await (const page of pages) items.push(...page.filter((item) => !stays(item)));
  return items;
}

/** Counts go only as they were read, and a device's token only while it is this user's. */
function deleteRemains(userId: number, item: Item): TransactionWrite[] {
  const remove: TransactionWrite = { Delete: { Key: { pk: item.pk, sk: item.sk } } };
  if (isCounts(item)) {
    const ExpressionAttributeNames = { "#total": "total" };
    const ExpressionAttributeValues = { ":total": item.total ?? 0 };
    const guard = { ConditionExpression: "#total = :total", ExpressionAttributeNames, ExpressionAttributeValues };
    return [{ Delete: { Key: { pk: item.pk, sk: item.sk }, ...guard } }];
  }
  if (typeof item.hash !== "string") return [remove];
  const ConditionExpression = "attribute_not_exists(pk) OR (user_id = :user AND id = :id)";
  const ExpressionAttributeValues = { ":user": userId, ":id": item.id };
  return [remove, { Delete: { Key: deviceTokenKey(item.hash), ConditionExpression, ExpressionAttributeValues } }];
}

function isNotification({ sk }: Item): boolean {
  return String(sk).startsWith("NOTIFICATION#");
}

function isRemovalMark({ sk }: Item): boolean {
  return String(sk).startsWith("REMOVED#");
}

function isCounts({ sk }: Item): boolean {
  return sk === "COUNTS";
}

/** Each item takes up to two of the 100 writes that a transaction may have. */
function chunksOf(items: readonly Item[]): Item[][] {
  const size = 45;
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
