import { settings } from "../settings.ts";
import { escapeHtml, htmlOf, sendEmail } from "./email.ts";
import { sendSms } from "./sms.ts";

/** The addresses of a user. */
export interface Reachable {
  readonly email: string | null;
  /** In E.164. */
  readonly phone_number: string | null;
}

/** Notifies a user by e-mail and SMS, as far as they have them, that their password was changed (D14). */
export async function sendPasswordNotice({ email, phone_number }: Reachable, changedAt: Date): Promise<void> {
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
