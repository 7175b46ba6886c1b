import { type MessageAttributeValue, SNSClient } from "@aws-sdk/client-sns";
import { afterEach, expect, test, vi } from "vitest";
import { sendSms } from "../../shared/messages/send.ts";
import { countedMetrics } from "../support/service/capture-logs.ts";

const send = vi.spyOn(SNSClient.prototype, "send").mockImplementation(() => undefined);

afterEach(() => {
  vi.unstubAllEnvs();
  send.mockClear();
});

/** The attributes of an SMS that was sent, by what follows `AWS.SNS.SMS.` in their names. */
async function sentWith(environment: Readonly<Record<string, string>>): Promise<Record<string, string | undefined>> {
  vi.stubEnv("METRIC_NAMESPACE", "Workforce/test");
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  await sendSms("+447700900001", "123456 is your pin");
  const { MessageAttributes = {} } = send.mock.lastCall?.[0].input as {
    MessageAttributes?: Record<string, MessageAttributeValue>;
  };
  return Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name.replace("AWS.SNS.SMS.", ""), StringValue]),
  );
}

test("an SMS says its registered sender, without which networks drop it, and the most that it may cost", async () => {
  const sent = await sentWith({ SMS_SENDER_ID: "Harbour", SMS_MOST_DOLLARS: "0.25" });
  expect(sent).toEqual({ SMSType: "Transactional", SenderID: "Harbour", MaxPrice: "0.25" });
});

test("only a fault of the number refuses the recipient, and what was not sent is not counted", async () => {
  const counted = countedMetrics();
  for (const [name, message, thrown] of [
    ["InvalidParameterException", "Invalid parameter: PhoneNumber", "RecipientRefusedError"],
    ["InvalidParameterException", "Invalid parameter: Message", "InvalidParameterException"],
    ["AuthorizationErrorException", "PhoneNumber", "AuthorizationErrorException"],
  ]) {
    send.mockImplementationOnce(() => {
      throw Object.assign(new Error(message), { name });
    });
    await expect(sentWith({ SMS_SENDER_ID: "", SMS_MOST_DOLLARS: "0.25" })).rejects.toMatchObject({ name: thrown });
  }
  expect(countedMetrics()).toEqual(counted);
});

test("an SMS of a stage without a registered sender says none", async () => {
  const sent = await sentWith({ SMS_SENDER_ID: "", SMS_MOST_DOLLARS: "0.25" });
  expect(sent).toEqual({ SMSType: "Transactional", MaxPrice: "0.25" });
});
