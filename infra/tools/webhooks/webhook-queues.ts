import { GetQueueAttributesCommand, GetQueueUrlCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { WebhookSetting } from "../../../shared/settings.ts";

/** The addresses of a webhook's queues. */
export interface QueueUrls {
  readonly queueUrl: string;
  readonly deadLettersUrl: string;
}

/** Gives work a client of SQS, which is closed however the work ends. */
export async function withQueues<T>(work: (client: SQSClient) => Promise<T>): Promise<T> {
  // One endpoint for all queues, that of the place which the user works in.
  const client = new SQSClient({ useQueueUrlAsEndpoint: false });
  try {
    return await work(client);
  } finally {
    client.destroy();
  }
}

/** Looks up the queues of a webhook. */
export async function findQueues(client: SQSClient, { queue, deadLetters }: WebhookSetting): Promise<QueueUrls> {
  const [queueUrl = "", deadLettersUrl = ""] = await Promise.all(
    [queue, deadLetters].map(async (QueueName) => (await client.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl),
  );
  return { queueUrl, deadLettersUrl };
}

/** About how many messages are in a queue: those that wait, and those that were put off or are in somebody's hands. */
export async function countMessages(client: SQSClient, QueueUrl: string) {
  const names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const;
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }),
  );
  const [waiting = 0, held = 0] = names.map((name) => Number(Attributes[name] ?? 0));
  return { waiting, held };
}
