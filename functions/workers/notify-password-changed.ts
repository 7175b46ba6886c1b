import { noticeMessage } from "../../shared/messages/queue-messages.ts";
import { type MessageRecipient, sendNotice } from "../../shared/messages/send.ts";
import { acquireSendLease, countedSms, releaseSendLease } from "../../shared/notifications/sendings.ts";
import { consumeMessageAllowance } from "../../shared/people/message-limits.ts";
import { maySendSmsTo } from "../../shared/people/typed-login.ts";
import { findUser } from "../../shared/people/users.ts";
import { forQueue, unlessRefused } from "../../shared/worker.ts";

/**
 * Notifies a user on every channel they have, in their language, that their password was changed (D14); SMS within the stage's
 * ceiling (D11). A message that comes again repeats only the channel that failed.
 */
export const handler = forQueue(noticeMessage, async ({ userId, changedAt }, { now }) => {
  const user = await findUser(userId);
  if (!user) return;
  const lease = await acquireSendLease(userId, { kind: "NOTICE", name: changedAt.toISOString() }, now);
  const served = new Set(lease.served);
  const addresses = [
    { channel: "email", to: user.email },
    { channel: "sms", to: user.phone_number },
  ] as const;
  const attempts = await Promise.allSettled(
    addresses.map(async ({ channel, to }) => {
      if (to === null || served.has(channel)) return;
      const recipient = { channel, to, locale: user.locale };
      if (await mayServe(userId, recipient, served, now)) await unlessRefused(sendNotice(recipient, changedAt));
      served.add(channel);
    }),
  );
  await releaseSendLease(lease, [...served]);
  for (const attempt of attempts) if (attempt.status === "rejected") throw attempt.reason;
});

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
