import { SESClient, SendEmailCommand } from "@aws-sdk/client-ses";
import { settings } from "../settings.ts";

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

let client: SESClient | undefined;

/** Sends an e-mail through SES from the stage's sender address. */
export async function sendEmail({ to, subject, text, html }: Email): Promise<void> {
  client ??= new SESClient({});
  const inUtf8 = (Data: string) => ({ Data, Charset: "UTF-8" });
  await client.send(
    new SendEmailCommand({
      Source: settings.senderAddress(),
      ConfigurationSetName: settings.configurationSet(),
      Destination: { ToAddresses: [to] },
      Message: { Subject: inUtf8(subject), Body: { Text: inUtf8(text), Html: inUtf8(html) } },
    }),
  );
}
