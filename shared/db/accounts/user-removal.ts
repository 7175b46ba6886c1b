import type { RemovalLine } from "../../contract/records.ts";
import { devices, ensureDeviceTokenReleased } from "../../notifications/devices.ts";
import {
  deleteCounts,
  deleteNotifications,
  notificationCounts,
  notifications,
} from "../../notifications/notifications.ts";
import { chunksOf } from "../../run/batches.ts";
import type { Entity } from "../../table/entity.ts";
import type { Outcome, WriteContext } from "../../table/plans.ts";
import { releaseUniqueKey } from "../../table/plans.ts";
import { removeRecord, renewTombstone } from "../../table/record-plans.ts";
import { paces, retry } from "../../table/retry.ts";
import type { Item } from "../../table/table.ts";
import { keyOf, queryItems } from "../../table/table.ts";
import { type TransactionWrite, transact } from "../../table/writes.ts";
import { deleteSecret } from "./user-secrets.ts";
import { uniqueKeysOf } from "./user-writes.ts";
import { userKey, users } from "./users.ts";

/** Each item takes up to two of the 100 writes that a transaction may have. */
export const chunkSize = 45;

/**
 * Access pattern U5: removes a user. First the user, its secrets, logins and profile, in one transaction; then sessions,
 * devices, notifications and counts. Cut short, it is finished by repeating it.
 */
export async function removeUser(line: RemovalLine<"user">, context: WriteContext): Promise<Outcome> {
  const outcome = await removeRecord(users, userKey(line.id), line, context, (stored) => ({
    writes: [
      deleteSecret("password", line.id),
      deleteSecret("passcode", line.id),
      ...uniqueKeysOf(stored, context.now).map(releaseUniqueKey),
    ],
  }));
  if (outcome === "stale" || context.dryRun) return outcome;
  if (!(await purgePartition(line.id))) return outcome;
  // An export lists by the tombstone that something was left of a user who was gone.
  if (outcome !== "removed") await renewTombstone(users, userKey(line.id), context);
  return "removed";
}

/** Deletes what a user leaves behind, until nothing more is found; true when there was something. */
async function purgePartition(userId: number): Promise<boolean> {
  const purged = await retry(paces.record, async (sweep) => {
    const leftovers = await findLeftovers(userId);
    if (leftovers.length === 0) return { anything: sweep > 0 };
    // Notifications take themselves out of the counts; only then may the counts go.
    const read = leftovers.filter(isOf(notifications)).map(notifications.decode);
    const others = leftovers.filter((item) => !isOf(notifications)(item));
    const deletable = read.length === 0 ? others : others.filter((item) => !isOf(notificationCounts)(item));
    for (const chunk of chunksOf(read, chunkSize)) await transact(deleteNotifications(userId, chunk));
    for (const chunk of chunksOf(deletable, chunkSize)) {
      await transact(chunk.flatMap((item) => deleteRemains(userId, item)));
    }
    return undefined;
  });
  return purged.anything;
}

async function findLeftovers(userId: number): Promise<Item[]> {
  const items = await queryItems({
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": userKey(userId).pk },
    ConsistentRead: true,
  });
  return items.filter((item) => !isOf(users)(item));
}

/** Counts go only as they were read, and a device's token only while it is this user's. */
function deleteRemains(userId: number, item: Item): TransactionWrite[] {
  if (isOf(notificationCounts)(item)) return [deleteCounts(notificationCounts.decode(item))];
  const remove: TransactionWrite = { Delete: { Key: keyOf(item) } };
  if (!isOf(devices)(item)) return [remove];
  const { hash, id } = devices.decode(item);
  return [remove, ensureDeviceTokenReleased(hash, userId, id)];
}

function isOf({ matches }: Pick<Entity<object>, "matches">): (item: Item) => boolean {
  return (item) => matches(keyOf(item));
}
