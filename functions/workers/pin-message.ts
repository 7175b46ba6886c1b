import { catalogueOf } from "../../shared/messages/catalogues.ts";
import type { MessageRecipient } from "../../shared/messages/send.ts";
import { renderEmail, sendEmail, sendSms } from "../../shared/messages/send.ts";
import { pinRules } from "../../shared/people/limits.ts";
import { shownPin } from "../../shared/people/pins.ts";
import { settings } from "../../shared/run/settings.ts";

/** Sends a pin by its login's channel, without a link and without text written by users (D8, D45). */
export async function sendPin({ channel, to, locale }: MessageRecipient, pin: string): Promise<void> {
  const catalogue = catalogueOf(locale);
  const facts = { service: settings.serviceName(), pin: shownPin(pin), minutes: pinRules.lifeMinutes };
  if (channel === "sms") return sendSms(to, catalogue.pinSms(facts));
  return sendEmail(renderEmail(catalogue, to, catalogue.pinEmail(facts)));
}
