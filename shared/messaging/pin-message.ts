import { pinLifeMinutes } from "../domain/accounts/pin.ts";
import { settings } from "../settings.ts";
import { escapeHtml, htmlOf, sendEmail } from "./email.ts";
import { sendSms } from "./sms.ts";

/** Sends a pin by the channel of its login (D8). */
export async function sendPin(channel: "email" | "sms", to: string, pin: string): Promise<void> {
  const { sms, ...email } = renderPinMessage(settings.serviceName(), pin);
  await (channel === "sms" ? sendSms(to, sms) : sendEmail({ to, ...email }));
}

/** A pin's message, without a link. `sms` is one part: up to 160 characters with a service name of up to 60. */
function renderPinMessage(service: string, pin: string) {
  const life = `It is valid for ${pinLifeMinutes} minutes and can be used once.`;
  const ignore = "If you did not ask for it, ignore this message; nothing changes without the pin.";
  return {
    subject: `Your ${service} pin`,
    text: `Your ${service} pin is ${pin}.\n\n${life}\n\n${ignore}\n`,
    html: htmlOf(
      `<p>Your ${escapeHtml(service)} pin is</p><p style="font-size: 2em; letter-spacing: 0.2em"><strong>${pin}</strong></p>` +
        `<p>${life}</p><p>${ignore}</p>`,
    ),
    sms: `${pin} is your ${service} pin, valid for ${pinLifeMinutes} minutes.`,
  };
}
