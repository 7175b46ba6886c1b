import { settings } from "../settings.ts";
import { escapeHtml, htmlOf, sendEmail } from "./email.ts";
import { sendSms } from "./sms.ts";

/** Notifies a user by one channel that their password was changed (D14). `to` is an e-mail address, or a number in E.164. */
export async function sendPasswordNotice(channel: "email" | "sms", to: string, changedAt: Date): Promise<void> {
  const service = settings.serviceName();
  const [day, time] = [changedAt.toISOString().slice(0, 10), changedAt.toISOString().slice(11, 16)];
  if (channel === "sms") return sendSms(to, shortNotice(service, `${day} at ${time}`));
  const sentence = `The password of your ${service} account was changed on ${day} at ${time} UTC.`;
  const advice = "If it was not you, ask for a new pin and set another password at once.";
  const html = htmlOf(`<p>${escapeHtml(sentence)}</p><p>${advice}</p>`);
  const subject = `Your ${service} password was changed`;
  return sendEmail({ to, subject, text: `${sentence}\n\n${advice}\n`, html });
}

/** One part: up to 160 characters with a service name of up to 60. */
function shortNotice(service: string, moment: string): string {
  return `${service}: your password was changed on ${moment} UTC. Not you? Ask for a pin and set a new one.`;
}
