import { updateIf } from "../table/conditional-writes.ts";
import { anyOf, lacks } from "../table/conditions.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import { padId } from "../table/item-keys.ts";
import { busy } from "../table/retry.ts";
import type { Key } from "../table/table.ts";

/** The progress of a notification's push to its user's devices, as stored. */
interface StoredPush extends StoredItem {
  /** Served devices, by id; absent before the first. */
  readonly served?: readonly number[];
  /** Present while a worker has the lease, in ISO 8601. */
  readonly held_until?: string;
  readonly expires_at: number;
}

/** The entity of pushes. */
export const pushes = defineEntity<StoredPush>(
  "push",
  ({ pk, sk }) => pk.startsWith("USER#") && sk.startsWith("PUSH#"),
);

/** The id of the notification of a stored push. */
export function pushedIn({ sk }: Key): number {
  return Number(sk.slice(sk.indexOf("#") + 1));
}

/** The lease of a push. One worker has it until it releases it or the lease expires. */
export interface PushLease {
  readonly userId: number;
  readonly notificationId: number;
  /** Devices served before, by id. */
  readonly served: readonly number[];
  /** The expiry of the lease, in ISO 8601; it identifies the lease. */
  readonly heldUntil: string;
}

/** Longer than a worker may run, so that a worker with an expired lease has ended. */
const leaseSeconds = 90;
/** As long as a queue may repeat a message. */
const rememberedDays = 14;

/**
 * Access pattern PS4: acquires the lease of a notification's push. Refuses as `busy` while another worker has it, so
 * that the message is retried if that worker dies. 1 write unit.
 */
export async function acquirePushLease(userId: number, notificationId: number, now: Date): Promise<PushLease> {
  const heldUntil = new Date(now.getTime() + leaseSeconds * 1000).toISOString();
  const isFree = anyOf(lacks("held_until"), "held_until < :now");
  const set = { held_until: heldUntil, expires_at: epochSecondsAfter(now, rememberedDays) };
  const changes = { when: isFree, values: { ":now": now.toISOString() }, set };
  const leased = await updateIf(pushKey(userId, notificationId), changes);
  if (!leased) throw busy();
  return { userId, notificationId, served: pushes.decode(leased).served ?? [], heldUntil };
}

/**
 * Access pattern PS5: releases the lease and stores the served devices. Changes nothing if the lease has expired and
 * another worker has the push. 1 write unit.
 */
export async function releasePushLease(lease: PushLease, served: readonly number[]): Promise<void> {
  const changes = { where: { held_until: lease.heldUntil }, set: { served }, remove: ["held_until"] };
  await updateIf(pushKey(lease.userId, lease.notificationId), changes);
}

function pushKey(userId: number, notificationId: number): Key {
  return { pk: `USER#${userId}`, sk: `PUSH#${padId(notificationId)}` };
}
