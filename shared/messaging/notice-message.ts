import type { NoticeKind } from "../domain/records/notification-kinds.ts";
import { settings } from "../settings.ts";
import { catalogueOf } from "./catalogues/catalogues.ts";
import { renderEmail, sendEmail } from "./email.ts";
import { sendSms } from "./sms.ts";

/** A recipient of a notice: channel, address, and the user's language if they have one. */
export interface NoticeRecipient {
  readonly channel: "email" | "sms";
  /** An e-mail address, or a number in E.164. */
  readonly to: string;
  readonly locale: string | null | undefined;
}

/** Notifies a user by one channel, in their language, of an event of their account (D14, D44, D45). */
export async function sendNotice({ channel, to, locale }: NoticeRecipient, about: NoticeKind, at: Date): Promise<void> {
  const catalogue = catalogueOf(locale);
  const facts = { service: settings.serviceName(), at };
  const { email, sms } = catalogue.notices[about];
  if (channel === "sms") return sendSms(to, sms(facts));
  return sendEmail(renderEmail(catalogue, to, email(facts)));
}
