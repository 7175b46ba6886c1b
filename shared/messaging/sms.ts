import { PublishCommand } from "@aws-sdk/client-sns";
import { count } from "../metrics.ts";
import { pushClient } from "./clients.ts";

/** Sends an SMS through SNS as a transactional message. `to` is in E.164. */
export async function sendSms(to: string, text: string): Promise<void> {
  await pushClient().send(
    new PublishCommand({
      PhoneNumber: to,
      Message: text,
      MessageAttributes: { "AWS.SNS.SMS.SMSType": { DataType: "String", StringValue: "Transactional" } },
    }),
  );
  count("SmsSent", {});
}
