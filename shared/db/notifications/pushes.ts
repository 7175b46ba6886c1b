import { busy } from "../table/conflicts.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import { notificationKey, pushKey } from "../table/keys.ts";
import { getItem, updateIf } from "../table/table.ts";
import { type Notification, toNotification } from "./notifications.ts";

/** A push of a notification that one worker has to itself, until it gives it back or its time runs out. */
export interface PushLease {
  readonly userId: number;
  readonly notificationId: number;
  /** Devices that were served before, by id. */
  readonly served: readonly number[];
  /** Until when nobody else takes it, in ISO 8601; the claim is known by it. */
  readonly heldUntil: string;
}

/** Longer than a worker may run, so that who held a claim no longer works on it when another takes it. */
const holdSeconds = 90;
/** As long as a queue may bring a message again. */
const rememberedDays = 14;

/** Access pattern PS1: a notification that its user has not read; undefined when it is read or gone. 1 read unit. */
export async function findUnread(userId: number, notificationId: number): Promise<Notification | undefined> {
  const item = await getItem(notificationKey(userId, notificationId), { consistent: true });
  const notification = item && toNotification(item);
  return notification?.read_at === null ? notification : undefined;
}

/**
 * Access pattern PS4: takes the push of a notification for this worker alone. Refuses as `busy` while another holds it:
 * should that one die, the message must come again. 1 write unit.
 */
export async function acquirePushLease(userId: number, notificationId: number, now: Date): Promise<PushLease> {
  const heldUntil = new Date(now.getTime() + holdSeconds * 1000).toISOString();
  const claimed = await updateIf({
    Key: { ...pushKey(userId, notificationId) },
    ConditionExpression: "attribute_not_exists(held_until) OR held_until < :now",
    UpdateExpression: "SET held_until = :until, expires_at = :expires",
    ExpressionAttributeValues: {
      ":now": now.toISOString(),
      ":until": heldUntil,
      ":expires": epochSecondsAfter(now, rememberedDays),
    },
  });
  if (!claimed) throw busy();
  return { userId, notificationId, served: (claimed.served as number[] | undefined) ?? [], heldUntil };
}

/**
 * Access pattern PS5: gives a push back with the devices that are served by now. Changes nothing when the claim has run out
 * and another has it. 1 write unit.
 */
export async function releasePushLease(claim: PushLease, served: readonly number[]): Promise<void> {
  await updateIf({
    Key: { ...pushKey(claim.userId, claim.notificationId) },
    ConditionExpression: "held_until = :until",
    UpdateExpression: "SET served = :served REMOVE held_until",
    ExpressionAttributeValues: { ":until": claim.heldUntil, ":served": served },
  });
}
