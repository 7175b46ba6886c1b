import { pinLifeMinutes } from "../domain/accounts/pin.ts";
import { settings } from "../settings.ts";
import { catalogueOf } from "./catalogues/catalogues.ts";
import { renderEmail, sendEmail } from "./email.ts";
import { sendSms } from "./sms.ts";

/** Where a pin goes: the channel of its login, and the language of the login's user, if there is one. */
export interface PinRecipient {
  readonly channel: "email" | "sms";
  readonly to: string;
  readonly locale: string | null | undefined;
}

/** Sends a pin by the channel of its login, without a link and without anything that users have written (D8, D45). */
export async function sendPin({ channel, to, locale }: PinRecipient, pin: string): Promise<void> {
  const catalogue = catalogueOf(locale);
  const facts = { service: settings.serviceName(), pin, minutes: pinLifeMinutes };
  if (channel === "sms") return sendSms(to, catalogue.pinSms(facts));
  return sendEmail(renderEmail(catalogue, to, catalogue.pinEmail(facts)));
}
