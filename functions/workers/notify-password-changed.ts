import { maySendSms } from "../../shared/accounts/sms.ts";
import { findUser } from "../../shared/db/accounts/users.ts";
import { maySendSmsTo } from "../../shared/domain/accounts/sms-receiver.ts";
import { passwordNotice } from "../../shared/messaging/notice-queue.ts";
import { sendPasswordNotice } from "../../shared/messaging/password-notice.ts";
import { forQueue } from "../../shared/workers/queue-worker.ts";

/** Notifies a user on every channel they have that their password was changed (D14); SMS within the stage's ceiling (D11). */
export const handler = forQueue(passwordNotice, async ({ userId, changedAt }, now) => {
  const user = await findUser(userId);
  if (!user) return;
  const { phone_number } = user;
  const isReachable = phone_number !== null && maySendSmsTo(phone_number, { isStored: true });
  const isSmsDue = isReachable && (await maySendSms("user", now));
  await sendPasswordNotice({ email: user.email, phone_number: isSmsDue ? phone_number : null }, changedAt);
});
