import { maySendSms } from "../../shared/accounts/sms-allowance.ts";
import { findNoticeProgress, keepNoticeProgress, type NoticeChannel } from "../../shared/db/accounts/notices.ts";
import { findUser } from "../../shared/db/accounts/users.ts";
import { maySendSmsTo } from "../../shared/domain/accounts/sms-receiver.ts";
import { type NoticeRecipient, sendNotice } from "../../shared/messaging/notice-message.ts";
import { noticeMessage } from "../../shared/messaging/notice-queue.ts";
import { RecipientRefusedError } from "../../shared/messaging/recipient-refused.ts";
import { forQueue, reportRefused } from "../../shared/workers/queue-worker.ts";

/**
 * Notifies a user on every channel they have, in their language, that their password was changed (D14); SMS within the stage's
 * ceiling (D11). A message that comes again repeats only the channel that failed.
 */
export const handler = forQueue(noticeMessage, async ({ userId, changedAt }, { now }) => {
  const [user, progress] = await Promise.all([findUser(userId), findNoticeProgress(userId, changedAt)]);
  if (!user) return;
  const addresses: readonly [NoticeChannel, string | null][] = [
    ["email", user.email],
    ["sms", user.phone_number],
  ];
  const waiting = addresses.flatMap(([channel, to]) =>
    to !== null && !progress.served.includes(channel) ? [{ channel, to, locale: user.locale }] : [],
  );
  let { sms_counted } = progress;
  const attempts = await Promise.allSettled(
    waiting.map(async (each) => {
      if (!(await mayServe(each, progress.sms_counted, now))) return;
      sms_counted ||= each.channel === "sms";
      await send(each, changedAt);
    }),
  );
  const done = waiting.flatMap(({ channel }, at) => (attempts[at]?.status === "fulfilled" ? [channel] : []));
  const next = { served: [...progress.served, ...done], sms_counted };
  if (waiting.length > 0) await keepNoticeProgress(userId, changedAt, next, now);
  for (const attempt of attempts) if (attempt.status === "rejected") throw attempt.reason;
});

/** An SMS needs a number that takes one, and counts once, however often it is tried (D7, D11). */
async function mayServe({ channel, to }: NoticeRecipient, isCounted: boolean, now: Date): Promise<boolean> {
  if (channel !== "sms") return true;
  return maySendSmsTo(to, { isStored: true }) && (isCounted || (await maySendSms("user", now)));
}

/** Sends by one channel; one that takes no such recipient is served as well. */
async function send(recipient: NoticeRecipient, changedAt: Date): Promise<void> {
  try {
    await sendNotice(recipient, changedAt);
  } catch (error) {
    if (!(error instanceof RecipientRefusedError)) throw error;
    reportRefused(error);
  }
}
