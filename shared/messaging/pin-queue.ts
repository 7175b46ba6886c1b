import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { timestamp } from "../contract/values.ts";
import { settings } from "../settings.ts";

const moment = v.pipe(
  timestamp,
  v.transform((value) => new Date(value)),
);

/** A request for a pin as it travels from the API to the worker; the login is in its normal form. */
export const pinRequest = v.object({
  login: v.string(),
  channel: v.picklist(["email", "sms"]),
  requestId: v.string(),
  requestedAt: moment,
  validTo: moment,
});

let client: SQSClient | undefined;

/** Queues a request for a pin. Known and unknown logins alike, so that the answer's time tells nothing (D12). */
export async function queuePinRequest(request: v.InferOutput<typeof pinRequest>): Promise<void> {
  client ??= new SQSClient({});
  const MessageBody = JSON.stringify(request);
  await client.send(new SendMessageCommand({ QueueUrl: settings.pinQueueUrl(), MessageBody }));
}
