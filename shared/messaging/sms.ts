import { type MessageAttributeValue, PublishCommand } from "@aws-sdk/client-sns";
import { count, noteSent } from "../run/log.ts";
import { settings } from "../run/settings.ts";
import { pushClient } from "./clients.ts";
import { sendUnlessRefused } from "./recipient-refused.ts";

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
