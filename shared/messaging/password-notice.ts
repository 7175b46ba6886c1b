import type * as v from "valibot";
import type { user } from "../contract/accounts.ts";
import { settings } from "../settings.ts";
import { escapeHtml, htmlOf, sendEmail } from "./email.ts";
import { sendSms } from "./sms.ts";

/** Notifies by e-mail and SMS (in E.164), where there is an address for it, that a password was changed (D14). */
export async function sendPasswordNotice(
  { email, phone_number }: Pick<v.InferOutput<typeof user>, "email" | "phone_number">,
  changedAt: Date,
): Promise<void> {
  const service = settings.serviceName();
  const [day, time] = [changedAt.toISOString().slice(0, 10), changedAt.toISOString().slice(11, 16)];
  const sentence = `The password of your ${service} account was changed on ${day} at ${time} UTC.`;
  const advice = "If it was not you, ask for a new pin and set another password at once.";
  const html = htmlOf(`<p>${escapeHtml(sentence)}</p><p>${advice}</p>`);
  const subject = `Your ${service} password was changed`;
  await Promise.all([
    email && sendEmail({ to: email, subject, text: `${sentence}\n\n${advice}\n`, html }),
    phone_number && sendSms(phone_number, `${sentence} ${advice}`),
  ]);
}
