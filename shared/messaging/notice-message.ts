import { settings } from "../run/settings.ts";
import { catalogueOf } from "./catalogues/catalogues.ts";
import { renderEmail, sendEmail } from "./email.ts";
import { sendSms } from "./sms.ts";

/** The recipient of an e-mail or SMS: channel, address, and the user's language if there is one. */
export interface MessageRecipient {
  readonly channel: "email" | "sms";
  /** An e-mail address, or a number in E.164. */
  readonly to: string;
  readonly locale: string | null | undefined;
}

/** Notifies a user by one channel, in their language, that their password was changed (D14, D45). */
export async function sendNotice({ channel, to, locale }: MessageRecipient, at: Date): Promise<void> {
  const catalogue = catalogueOf(locale);
  const facts = { service: settings.serviceName(), at };
  if (channel === "sms") return sendSms(to, catalogue.passwordChangedSms(facts));
  return sendEmail(renderEmail(catalogue, to, catalogue.passwordChangedEmail(facts)));
}
