import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { timestamp } from "../contract/values.ts";

/** A moment as it travels in a message. */
export const moment = v.pipe(
  timestamp,
  v.transform((value) => new Date(value)),
);

let client: SQSClient | undefined;

/** Sends a message to a queue, as JSON. */
export async function queueMessage(queueUrl: string, message: object): Promise<void> {
  client ??= new SQSClient({});
  await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(message) }));
}
