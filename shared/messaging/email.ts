import { SendEmailCommand } from "@aws-sdk/client-ses";
import { settings } from "../settings.ts";
import { noteSent } from "../work.ts";
import { emailClient } from "./clients.ts";
import { sendUnlessRefused } from "./recipient-refused.ts";

/** An e-mail in both forms. */
export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Escapes text for an HTML body. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** An HTML body with this content. */
export function htmlOf(content: string): string {
  return `<!doctype html><html lang="en"><body style="font-family: sans-serif; color: #1a1a1a">${content}</body></html>`;
}

/** Sends an e-mail through SES from the stage's sender address. Throws `RecipientRefusedError` where SES takes no such address. */
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
