import { updateIf } from "../table/conditional-writes.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import { padId } from "../table/keys.ts";
import { busy } from "../table/retry.ts";
import type { Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";

/** How far a notification has been pushed to its user's devices, as the table has it. */
interface StoredPush extends StoredItem {
  /** Devices that were served, by id; absent before the first. */
  readonly served?: readonly number[];
  /** Present while a worker has it, in ISO 8601. */
  readonly held_until?: string;
  readonly expires_at: number;
}

/** The entity of pushes. */
export const pushes = defineEntity<StoredPush>(
  "push",
  ({ pk, sk }) => pk.startsWith("USER#") && sk.startsWith("PUSH#"),
);

/** The id of the notification that a stored push is of. */
export function pushedIn({ sk }: Key): number {
  return Number(sk.slice(sk.indexOf("#") + 1));
}

/** The lease of a push: one worker has it, until the worker releases it or it expires. */
export interface PushLease {
  readonly userId: number;
  readonly notificationId: number;
  /** Devices that were served before, by id. */
  readonly served: readonly number[];
  /** When the lease expires, in ISO 8601; it identifies the lease. */
  readonly heldUntil: string;
}

/** Longer than a worker may run: a worker whose lease has expired has ended. */
const leaseSeconds = 90;
/** As long as a queue may bring a message again. */
const rememberedDays = 14;

/**
 * Access pattern PS4: acquires the lease of a notification's push. Refuses as `busy` while another worker has it: should
 * that worker die, the message must come again. 1 write unit.
 */
export async function acquirePushLease(userId: number, notificationId: number, now: Date): Promise<PushLease> {
  const heldUntil = new Date(now.getTime() + leaseSeconds * 1000).toISOString();
  const when = "attribute_not_exists(held_until) OR held_until < :now";
  const set = { held_until: heldUntil, expires_at: epochSecondsAfter(now, rememberedDays) };
  const changes = { when, values: { ":now": now.toISOString() }, set };
  const leased = await updateIf(pushKey(userId, notificationId), changes);
  if (!leased) throw busy();
  return { userId, notificationId, served: pushes.decode(leased).served ?? [], heldUntil };
}

/**
 * Access pattern PS5: releases the lease and stores the devices that are served by now. Changes nothing when the lease has
 * expired and another worker has the push. 1 write unit.
 */
export async function releasePushLease(lease: PushLease, served: readonly number[]): Promise<void> {
  const changes = { where: { held_until: lease.heldUntil }, set: { served }, remove: ["held_until"] };
  await updateIf(pushKey(lease.userId, lease.notificationId), changes);
}

/** The check that no push of a notification has begun, beside the writes of a transaction. */
export function requireUnpushed(userId: number, notificationId: number): TransactionWrite {
  const Key = { ...pushKey(userId, notificationId) };
  return { ConditionCheck: { Key, ConditionExpression: "attribute_not_exists(pk)" } };
}

function pushKey(userId: number, notificationId: number): Key {
  return { pk: `USER#${userId}`, sk: `PUSH#${padId(notificationId)}` };
}
