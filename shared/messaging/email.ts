import { SendEmailCommand } from "@aws-sdk/client-ses";
import { noteSent } from "../run/log.ts";
import { settings } from "../run/settings.ts";
import type { Catalogue, EmailText, Paragraph } from "./catalogues/catalogue.ts";
import { emailClient } from "./clients.ts";
import { sendUnlessRefused } from "./recipient-refused.ts";

/** An e-mail in both forms. */
export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** An e-mail to an address, from a catalogue's texts. */
export function renderEmail({ locale }: Catalogue, to: string, { subject, paragraphs }: EmailText): Email {
  const body = paragraphs.map(htmlOf).join("");
  return {
    to,
    subject,
    text: `${paragraphs.map(textOf).join("\n\n")}\n`,
    html: `<!doctype html><html lang="${locale}"><body style="font-family: sans-serif; color: #1a1a1a">${body}</body></html>`,
  };
}

function textOf(paragraph: Paragraph): string {
  return typeof paragraph === "string" ? paragraph : paragraph.code;
}

function htmlOf(paragraph: Paragraph): string {
  const text = escapeHtml(textOf(paragraph));
  if (typeof paragraph === "string") return `<p>${text}</p>`;
  return `<p style="font-size: 2em; letter-spacing: 0.2em"><strong>${text}</strong></p>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Sends an e-mail through SES from the stage's sender address. Throws `RecipientRefusedError` if SES refuses the
 * address.
 */
export async function sendEmail({ to, subject, text, html }: Email): Promise<void> {
  const inUtf8 = (Data: string) => ({ Data, Charset: "UTF-8" });
  const command = new SendEmailCommand({
    Source: settings.senderAddress(),
    ConfigurationSetName: settings.configurationSet(),
    Destination: { ToAddresses: [to] },
    Message: { Subject: inUtf8(subject), Body: { Text: inUtf8(text), Html: inUtf8(html) } },
  });
  await sendUnlessRefused(
    ({ name }) => name === "InvalidParameterValue",
    () => emailClient().send(command),
  );
  noteSent("emails");
}
