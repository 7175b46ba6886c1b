import { PublishCommand, SNSClient } from "@aws-sdk/client-sns";
import { count } from "../metrics.ts";
import { sendUnlessRefused } from "./recipient-refused.ts";

let client: SNSClient | undefined;

/**
 * Sends an SMS through SNS as a transactional message. `to` is in E.164. Throws `RecipientRefusedError` where SNS takes no
 * such number.
 */
export async function sendSms(to: string, text: string): Promise<void> {
  client ??= new SNSClient({});
  const sns = client;
  const command = new PublishCommand({
    PhoneNumber: to,
    Message: text,
    MessageAttributes: { "AWS.SNS.SMS.SMSType": { DataType: "String", StringValue: "Transactional" } },
  });
  await sendUnlessRefused(
    ({ name, message }) => name.startsWith("InvalidParameter") && message.includes("PhoneNumber"),
    () => sns.send(command),
  );
  count("SmsSent", {});
}
