import { ChangeMessageVisibilityCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { outboundEnvelope } from "../contract/outbound-events.ts";
import { settings, type WebhookSetting } from "../settings.ts";
import { workerQueueClient } from "./clients.ts";
import type { Delivery } from "./queue.ts";

/**
 * A message of the outbound bus in a webhook's queue. `detail` is sent on, with fields that this code does not know.
 */
export const webhookMessage = v.object({
  detail: v.looseObject({ ...outboundEnvelope.entries, data: v.looseObject({}) }),
});

/** The webhook of a queue. Throws if the stage has none with that queue. */
export function webhookOfQueue(queue: string): WebhookSetting {
  const found = settings.webhooks().find((each) => each.queue === queue);
  if (!found) throw new Error("No webhook of the stage has the queue");
  return found;
}

/** Hides a message of a webhook in its queue for a number of seconds. Its delivery is then tried again. */
export async function putOff({ queue }: WebhookSetting, { receipt }: Delivery, seconds: number): Promise<void> {
  const QueueUrl = urlBeside(settings.webhookQueueUrl(), queue);
  const command = { QueueUrl, ReceiptHandle: receipt, VisibilityTimeout: seconds };
  await workerQueueClient().send(new ChangeMessageVisibilityCommand(command));
}

/** Moves a message of a webhook to its dead letters, unchanged, so that it can be delivered again from there. */
export async function giveUp({ deadLetters }: WebhookSetting, { body }: Delivery): Promise<void> {
  const QueueUrl = urlBeside(settings.webhookDeadLettersUrl(), deadLetters);
  await workerQueueClient().send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
}

/** The address of a queue in the same account and region as another. */
function urlBeside(queueUrl: string, name: string): string {
  return `${queueUrl.slice(0, queueUrl.lastIndexOf("/"))}/${name}`;
}
