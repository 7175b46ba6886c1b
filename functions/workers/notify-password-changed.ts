import { busy } from "../../shared/contract/refusals.ts";
import type { Notice } from "../../shared/messages/catalogue.ts";
import { type ApiKeyNotice, noticeMessage, type PasswordNotice } from "../../shared/messages/queue-messages.ts";
import { type MessageRecipient, sendNotice } from "../../shared/messages/send.ts";
import { countedSms, noticeKey, notices } from "../../shared/notifications/notices.ts";
import { consumeMessageAllowance } from "../../shared/people/message-limits.ts";
import { maySendSmsTo } from "../../shared/people/typed-login.ts";
import { findUser } from "../../shared/people/users.ts";
import { timeOfId } from "../../shared/run/time-ordered-id.ts";
import { epochSecondsAfter, type Key } from "../../shared/table/table.ts";
import { anyOf, lacks, updateIf } from "../../shared/table/writes.ts";
import { forQueue, unlessRefused } from "../../shared/worker.ts";

/**
 * Notifies a user on every channel they have, in their language, of a new password (D14) or API key (D46), by mail alone of a key
 * that an engineer made; SMS within the stage's ceiling (D11). A message that comes again repeats only the channel that failed.
 */
export const handler = forQueue(noticeMessage, async (message, { now }) => {
  const { userId } = message;
  const user = await findUser(userId);
  if (!user) return;
  const notice = toNotice(message);
  const lease = await acquireLease(userId, notice, now);
  const served = new Set(lease.served);
  const byMailAlone = "isMinted" in message && message.isMinted;
  const addresses = [
    { channel: "email", to: user.email },
    { channel: "sms", to: byMailAlone ? null : user.phone_number },
  ] as const;
  const attempts = await Promise.allSettled(
    addresses.map(async ({ channel, to }) => {
      if (to === null || served.has(channel)) return;
      const recipient = { channel, to, locale: user.locale };
      if (await mayServe(userId, recipient, served, now)) await unlessRefused(sendNotice(recipient, notice));
      served.add(channel);
    }),
  );
  await releaseLease(lease, [...served]);
  for (const attempt of attempts) if (attempt.status === "rejected") throw attempt.reason;
});

function toNotice(message: PasswordNotice | ApiKeyNotice): Notice {
  if ("keyId" in message) return { kind: "api_key_created", at: timeOfId(message.keyId), ...message };
  return { kind: "password_changed", at: message.changedAt, ...message };
}

/** The lease of a notice. One worker has it until it releases it or the lease expires. */
interface Lease {
  readonly key: Key;
  /** The steps that were served before. */
  readonly served: readonly string[];
  /** The expiry of the lease, in ISO 8601; it identifies the lease. */
  readonly heldUntil: string;
}

/** Longer than a worker may run, so that a worker with an expired lease has ended. */
export const leaseSeconds = 90;
/** As long as a queue may repeat a message. */
export const noticeDays = 14;

/**
 * Access pattern SE1: acquires the lease of a notice. Refuses as `busy` while another worker has it, so that the message is
 * retried if that worker dies. 1 write unit.
 */
export async function acquireLease(
  userId: number,
  { kind, at, keyId }: Pick<Notice, "kind" | "at"> & { readonly keyId?: number },
  now: Date,
): Promise<Lease> {
  const key = noticeKey(userId, kind, at, keyId);
  const heldUntil = new Date(now.getTime() + leaseSeconds * 1000).toISOString();
  const isFree = anyOf(lacks("held_until"), "held_until < :now");
  const set = { held_until: heldUntil, expires_at: epochSecondsAfter(now, noticeDays) };
  const leased = await updateIf(key, { when: isFree, values: { ":now": now.toISOString() }, set });
  if (!leased) throw busy("Another worker has the message");
  return { key, served: notices.decode(leased).served ?? [], heldUntil };
}

/**
 * Access pattern SE2: releases the lease and stores the served steps. Changes nothing if the lease has expired and
 * another worker has the message. 1 write unit.
 */
export async function releaseLease({ key, heldUntil }: Lease, served: readonly string[]): Promise<void> {
  await updateIf(key, { where: { held_until: heldUntil }, set: { served }, remove: ["held_until"] });
}

/** An SMS needs a number that takes one, and must not exceed the ceilings (D7, D11). */
async function mayServe(
  userId: number,
  { channel, to }: MessageRecipient,
  served: Set<string>,
  now: Date,
): Promise<boolean> {
  if (channel !== "sms") return true;
  if (!maySendSmsTo(to, { isStored: true })) return false;
  // No client asks for a notice. Its user counts as one: a thief's flood leaves their first 20, and they leave the last tenth.
  const message = { channel, client: `user-${userId}`, registers: false };
  if (!served.has(countedSms) && !(await consumeMessageAllowance(message, now))) return false;
  served.add(countedSms);
  return true;
}
