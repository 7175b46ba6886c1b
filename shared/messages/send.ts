import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { SESClient, SendEmailCommand } from "@aws-sdk/client-ses";
import { type MessageAttributeValue, PublishCommand, SNSClient } from "@aws-sdk/client-sns";
import { SQSClient } from "@aws-sdk/client-sqs";
import { callLimits, limitedBy } from "../run/call-limits.ts";
import { count, noteSent } from "../run/log.ts";
import { settings } from "../run/settings.ts";
import type { Catalogue, EmailText, Notice, Paragraph } from "./catalogue.ts";
import { catalogueOf } from "./catalogues.ts";

// "Pure" lets a bundle omit the clients, and SDKs, that its function does not use.

/** The client of queues for requests, created at the first use, like all of these. */
export const requestQueueClient = /* @__PURE__ */ once(() => new SQSClient(limitedBy(callLimits.requestQueue)));

/** The client of queues for workers. */
export const workerQueueClient = /* @__PURE__ */ once(() => new SQSClient(limitedBy(callLimits.workerQueue)));

/** The client of e-mails. */
const emailClient = /* @__PURE__ */ once(() => new SESClient(limitedBy(callLimits.message)));

/** The client of SMS and pushes. */
export const pushClient = /* @__PURE__ */ once(() => new SNSClient(limitedBy(callLimits.message)));

/** The client of the outbound bus. */
export const busClient = /* @__PURE__ */ once(() => new EventBridgeClient(limitedBy(callLimits.outboundBus)));

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A channel refuses a recipient for good, so a retry would not help. */
export class RecipientRefusedError extends Error {
  readonly code = "recipient_refused";

  constructor(cause: unknown) {
    super("The channel refuses the recipient", { cause });
    this.name = "RecipientRefusedError";
  }
}

/** Sends by a channel. Throws `RecipientRefusedError` if the channel's error is about the recipient. */
async function sendUnlessRefused<T>(isRefusal: (error: Error) => boolean, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw error instanceof Error && isRefusal(error) ? new RecipientRefusedError(error) : error;
  }
}

/** An e-mail in both forms. */
interface Email {
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

/**
 * Sends a transactional SMS through SNS, from the stage's registered sender and within the stage's price limit. `to` is
 * in E.164. Throws `RecipientRefusedError` if SNS refuses the number.
 */
export async function sendSms(to: string, text: string): Promise<void> {
  const command = new PublishCommand({
    PhoneNumber: to,
    Message: text,
    MessageAttributes: attributesOf({
      SMSType: "Transactional",
      SenderID: settings.smsSenderId(),
      MaxPrice: settings.smsMostDollars(),
    }),
  });
  await sendUnlessRefused(
    ({ name, message }) => name.startsWith("InvalidParameter") && message.includes("PhoneNumber"),
    () => pushClient().send(command),
  );
  count("SmsSent", {});
  noteSent("sms");
}

function attributesOf(values: Readonly<Record<string, string | undefined>>): Record<string, MessageAttributeValue> {
  const attributes = Object.entries(values).flatMap(([name, StringValue]) =>
    StringValue === undefined
      ? []
      : [[`AWS.SNS.SMS.${name}`, { DataType: name === "MaxPrice" ? "Number" : "String", StringValue }] as const],
  );
  return Object.fromEntries(attributes);
}

/** The recipient of an e-mail or SMS: channel, address, and the user's language if there is one. */
export interface MessageRecipient {
  readonly channel: "email" | "sms";
  /** An e-mail address, or a number in E.164. */
  readonly to: string;
  readonly locale: string | null | undefined;
}

/** Notifies a user by one channel, in their language, of a new password or API key (D14, D45, D46). */
export async function sendNotice({ channel, to, locale }: MessageRecipient, notice: Notice): Promise<void> {
  const catalogue = catalogueOf(locale);
  if (channel === "sms") return sendSms(to, smsOf(catalogue, notice));
  return sendEmail(renderEmail(catalogue, to, emailOf(catalogue, notice)));
}

function smsOf(catalogue: Catalogue, notice: Notice): string {
  const service = settings.serviceName();
  if (notice.kind === "api_key_created") return catalogue.apiKeyCreatedSms({ service, ...notice });
  return catalogue.passwordChangedSms({ service, ...notice });
}

function emailOf(catalogue: Catalogue, notice: Notice): EmailText {
  const service = settings.serviceName();
  if (notice.kind === "api_key_created") return catalogue.apiKeyCreatedEmail({ service, ...notice });
  return catalogue.passwordChangedEmail({ service, ...notice });
}
