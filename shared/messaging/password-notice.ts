import { settings } from "../settings.ts";
import { escapeHtml, htmlOf, sendEmail } from "./email.ts";
import { sendSms } from "./sms.ts";

/** Notifies a user by one channel that their password was changed (D14). `to` is an e-mail address, or a number in E.164. */
export async function sendPasswordNotice(channel: "email" | "sms", to: string, changedAt: Date): Promise<void> {
  const service = settings.serviceName();
  const [day, time] = [changedAt.toISOString().slice(0, 10), changedAt.toISOString().slice(11, 16)];
  const sentence = `The password of your ${service} account was changed on ${day} at ${time} UTC.`;
  const advice = "If it was not you, ask for a new pin and set another password at once.";
  if (channel === "sms") return sendSms(to, `${sentence} ${advice}`);
  const html = htmlOf(`<p>${escapeHtml(sentence)}</p><p>${advice}</p>`);
  const subject = `Your ${service} password was changed`;
  return sendEmail({ to, subject, text: `${sentence}\n\n${advice}\n`, html });
}
