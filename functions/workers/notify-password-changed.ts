import { maySendSms } from "../../shared/accounts/sms.ts";
import { findServedChannels, keepServedChannels, type NoticeChannel } from "../../shared/db/accounts/notices.ts";
import { findUser } from "../../shared/db/accounts/users.ts";
import { maySendSmsTo } from "../../shared/domain/accounts/sms-receiver.ts";
import { passwordNotice } from "../../shared/messaging/notice-queue.ts";
import { sendPasswordNotice } from "../../shared/messaging/password-notice.ts";
import { RecipientRefusedError } from "../../shared/messaging/recipient-refused.ts";
import { forQueue, reportRefused } from "../../shared/workers/queue-worker.ts";

/**
 * Notifies a user on every channel they have that their password was changed (D14); SMS within the stage's ceiling (D11).
 * A message that comes again repeats only the channel that failed.
 */
export const handler = forQueue(passwordNotice, async ({ userId, changedAt }, now) => {
  const [user, served] = await Promise.all([findUser(userId), findServedChannels(userId, changedAt)]);
  if (!user) return;
  const addresses: readonly [NoticeChannel, string | null][] = [
    ["email", user.email],
    ["sms", user.phone_number],
  ];
  const waiting = addresses.filter(([channel, to]) => to !== null && !served.includes(channel));
  const attempts = await Promise.allSettled(waiting.map(([channel, to]) => serve(channel, to ?? "", changedAt, now)));
  const done = waiting.flatMap(([channel], at) => (attempts[at]?.status === "fulfilled" ? [channel] : []));
  if (done.length > 0) await keepServedChannels(userId, changedAt, [...served, ...done], now);
  for (const attempt of attempts) if (attempt.status === "rejected") throw attempt.reason;
});

/** Sends by one channel; one that takes no such recipient is served as well. */
async function serve(channel: NoticeChannel, to: string, changedAt: Date, now: Date): Promise<void> {
  if (channel === "sms" && !(maySendSmsTo(to, { isStored: true }) && (await maySendSms("user", now)))) return;
  try {
    await sendPasswordNotice(channel, to, changedAt);
  } catch (error) {
    if (!(error instanceof RecipientRefusedError)) throw error;
    reportRefused(error);
  }
}
