import { GetQueueAttributesCommand, GetQueueUrlCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { WebhookSetting } from "../../../shared/settings.ts";

/** The addresses of a webhook's queues. */
export interface QueueUrls {
  readonly queueUrl: string;
  readonly deadLettersUrl: string;
}

/** Runs work with an SQS client, which is closed afterwards even if the work fails. */
export async function withQueues<T>(work: (client: SQSClient) => Promise<T>): Promise<T> {
  // Calls the configured endpoint, not the one in the queue's address.
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

/** The approximate numbers of messages in a queue: those that wait, and those that are delayed or in work. */
export async function countMessages(client: SQSClient, QueueUrl: string) {
  const names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const;
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }),
  );
  const [waiting = 0, held = 0] = names.map((name) => Number(Attributes[name] ?? 0));
  return { waiting, held };
}
