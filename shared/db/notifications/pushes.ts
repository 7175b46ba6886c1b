import { busy } from "../table/conflicts.ts";
import { defineEntity, type StoredItem, stampOnly, versionClause, versionValue } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import { padId } from "../table/keys.ts";
import { type Key, updateIf } from "../table/table.ts";

/** How far a notification has been pushed to its user's devices, as the table has it. */
interface StoredPush extends StoredItem {
  /** Devices that were served, by id; absent before the first. */
  readonly served?: readonly number[];
  /** Present while a worker has it, in ISO 8601. */
  readonly held_until?: string;
  readonly expires_at: number;
}

/** The entity of pushes. */
export const pushes = defineEntity<StoredPush>({
  name: "push",
  matches: ({ pk, sk }) => pk.startsWith("USER#") && sk.startsWith("PUSH#"),
  upgrades: [stampOnly],
});

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

/**
 * Access pattern PS4: takes the push of a notification for this worker alone. Refuses as `busy` while another holds it:
 * should that one die, the message must come again. 1 write unit.
 */
export async function acquirePushLease(userId: number, notificationId: number, now: Date): Promise<PushLease> {
  const heldUntil = new Date(now.getTime() + holdSeconds * 1000).toISOString();
  const claimed = await updateIf({
    Key: pushKey(userId, notificationId),
    ConditionExpression: "attribute_not_exists(held_until) OR held_until < :now",
    UpdateExpression: `SET held_until = :until, expires_at = :expires, ${versionClause}`,
    ExpressionAttributeValues: {
      ":now": now.toISOString(),
      ":until": heldUntil,
      ":expires": epochSecondsAfter(now, rememberedDays),
      ...versionValue,
    },
  });
  if (!claimed) throw busy();
  return { userId, notificationId, served: pushes.decode(claimed).served ?? [], heldUntil };
}

/**
 * Access pattern PS5: gives a push back with the devices that are served by now. Changes nothing when the claim has run out
 * and another has it. 1 write unit.
 */
export async function releasePushLease(claim: PushLease, served: readonly number[]): Promise<void> {
  await updateIf({
    Key: pushKey(claim.userId, claim.notificationId),
    ConditionExpression: "held_until = :until",
    UpdateExpression: `SET served = :served, ${versionClause} REMOVE held_until`,
    ExpressionAttributeValues: { ":until": claim.heldUntil, ":served": served, ...versionValue },
  });
}

function pushKey(userId: number, notificationId: number): Key {
  return { pk: `USER#${userId}`, sk: `PUSH#${padId(notificationId)}` };
}
