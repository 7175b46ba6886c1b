import { settings } from "../settings.ts";
import { sendEmail } from "./email.ts";
import { escapeHtml } from "./html.ts";
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
  const sentence = `The password of your ${service} account was changed on ${formatMoment(changedAt)}.`;
  const advice = "If it was not you, ask for a new pin and set another password at once.";
  const html =
    `<!doctype html><html lang="en"><body style="font-family: sans-serif; color: #1a1a1a">` +
    `<p>${escapeHtml(sentence)}</p><p>${advice}</p></body></html>`;
  const subject = `Your ${service} password was changed`;
  await Promise.all([
    email && sendEmail({ to: email, subject, text: `${sentence}\n\n${advice}\n`, html }),
    phone_number && sendSms(phone_number, `${sentence} ${advice}`),
  ]);
}

function formatMoment(moment: Date): string {
  return `${moment.toISOString().slice(0, 10)} at ${moment.toISOString().slice(11, 16)} UTC`;
}
