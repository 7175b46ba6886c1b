import { busy } from "../contract/refusals.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import type { Key } from "../table/table.ts";
import { epochSecondsAfter } from "../table/table.ts";
import { anyOf, lacks, updateIf } from "../table/writes.ts";

/** The progress of a message to a user, such as a push to devices or a notice by e-mail and SMS, as stored. */
interface StoredSending extends StoredItem {
  /** The steps that need no repetition, such as a device's id or a channel; absent before the first. */
  readonly served?: readonly string[];
  /** Present while a worker has the lease, in ISO 8601. */
  readonly held_until?: string;
  readonly expires_at: number;
}

/** The step of a notice that counts its SMS. It is served once, however often the SMS is tried (D11). */
export const countedSms = "sms counted";

const skStart = "SENT#";

/** The entity of the progress of messages to users. */
export const sendings = defineEntity<StoredSending>("sending", ({ sk }) => sk.startsWith(skStart));

/** A message to a user: the push of a notification, or the notice of a new password. */
interface SentMessage {
  readonly kind: "PUSH" | "NOTICE";
  /** The notification's id, or the time of the new password in ISO 8601. */
  readonly name: string;
}

/** The message of a stored sending: the notification's id of a push, the time of the new password of a notice. */
export function sentMessageOf({ sk }: Key): { readonly notificationId: number } | { readonly changedAt: string } {
  const [, kind, name = ""] = sk.split("#");
  return kind === "PUSH" ? { notificationId: Number(name) } : { changedAt: name };
}

/** The lease of a message. One worker has it until it releases it or the lease expires. */
interface SendLease {
  readonly key: Key;
  /** The steps that were served before. */
  readonly served: readonly string[];
  /** The expiry of the lease, in ISO 8601; it identifies the lease. */
  readonly heldUntil: string;
}

/** Longer than a worker may run, so that a worker with an expired lease has ended. */
export const leaseSeconds = 90;
/** As long as a queue may repeat a message. */
export const sendingDays = 14;

/**
 * Access pattern SE1: acquires the lease of a message to a user. Refuses as `busy` while another worker has it, so that
 * the message is retried if that worker dies. 1 write unit.
 */
export async function acquireSendLease(userId: number, { kind, name }: SentMessage, now: Date): Promise<SendLease> {
  const key = { pk: `USER#${userId}`, sk: `${skStart}${kind}#${name}` };
  const heldUntil = new Date(now.getTime() + leaseSeconds * 1000).toISOString();
  const isFree = anyOf(lacks("held_until"), "held_until < :now");
  const set = { held_until: heldUntil, expires_at: epochSecondsAfter(now, sendingDays) };
  const leased = await updateIf(key, { when: isFree, values: { ":now": now.toISOString() }, set });
  if (!leased) throw busy("Another worker has the message");
  return { key, served: sendings.decode(leased).served ?? [], heldUntil };
}

/**
 * Access pattern SE2: releases the lease and stores the served steps. Changes nothing if the lease has expired and
 * another worker has the message. 1 write unit.
 */
export async function releaseSendLease({ key, heldUntil }: SendLease, served: readonly string[]): Promise<void> {
  await updateIf(key, { where: { held_until: heldUntil }, set: { served }, remove: ["held_until"] });
}
