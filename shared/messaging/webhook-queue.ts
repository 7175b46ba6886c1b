import { ChangeMessageVisibilityCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { outboundEnvelope } from "../contract/outbound-events.ts";
import { settings, type WebhookSetting } from "../settings.ts";
import { workerQueueClient } from "./clients.ts";
import type { Delivery } from "./queue.ts";

/** What the outbound bus puts into a webhook's queue: what is sent is `detail`, with fields that this code does not know. */
export const webhookMessage = v.object({
  detail: v.looseObject({ ...outboundEnvelope.entries, data: v.looseObject({}) }),
});

/** The webhook whose events a queue has. Throws where the stage has none with that queue. */
export function webhookOfQueue(queue: string): WebhookSetting {
  const found = settings.webhooks().find((each) => each.queue === queue);
  if (!found) throw new Error("No webhook of the stage has the queue");
  return found;
}

/** Has a message of a webhook come again after some seconds. */
export async function putOff({ queue }: WebhookSetting, { receipt }: Delivery, seconds: number): Promise<void> {
  const QueueUrl = urlBeside(settings.webhookQueueUrl(), queue);
  const command = { QueueUrl, ReceiptHandle: receipt, VisibilityTimeout: seconds };
  await workerQueueClient().send(new ChangeMessageVisibilityCommand(command));
}

/** Puts a message of a webhook into its dead letters, as it came: from there it can be delivered again. */
export async function giveUp({ deadLetters }: WebhookSetting, { body }: Delivery): Promise<void> {
  const QueueUrl = urlBeside(settings.webhookDeadLettersUrl(), deadLetters);
  await workerQueueClient().send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
}

/** The address of a queue of the same account and region as another's. */
function urlBeside(queueUrl: string, name: string): string {
  return `${queueUrl.slice(0, queueUrl.lastIndexOf("/"))}/${name}`;
}
