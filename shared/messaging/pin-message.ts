import { pinLifeMinutes } from "../domain/accounts/pin.ts";
import { settings } from "../settings.ts";
import { sendEmail } from "./email.ts";
import { escapeHtml } from "./html.ts";
import { sendSms } from "./sms.ts";

/** The words of a message that carries a pin: the service, the pin, how long it counts, and no link. */
export interface PinMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** One SMS part: up to 160 characters with a service name of up to 60. */
  readonly sms: string;
}

/** Sends a pin by the channel of its login (D8). */
export async function sendPin(channel: "email" | "sms", to: string, pin: string): Promise<void> {
  const { sms, ...email } = renderPinMessage(settings.serviceName(), pin);
  await (channel === "sms" ? sendSms(to, sms) : sendEmail({ to, ...email }));
}

/** Writes the message. */
function renderPinMessage(service: string, pin: string): PinMessage {
  const ignore = "If you did not ask for it, ignore this message; nothing changes without the pin.";
  return {
    subject: `Your ${service} pin`,
    text: `Your ${service} pin is ${pin}.\n\nIt is valid for ${pinLifeMinutes} minutes and can be used once.\n\n${ignore}\n`,
    html:
      `<!doctype html><html lang="en"><body style="font-family: sans-serif; color: #1a1a1a">` +
      `<p>Your ${escapeHtml(service)} pin is</p><p style="font-size: 2em; letter-spacing: 0.2em"><strong>${pin}</strong></p>` +
      `<p>It is valid for ${pinLifeMinutes} minutes and can be used once.</p><p>${ignore}</p></body></html>`,
    sms: `${pin} is your ${service} pin, valid for ${pinLifeMinutes} minutes.`,
  };
}
