import { GetQueueUrlCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { WebhookSetting } from "../../../shared/settings.ts";
import { withClient } from "../../local/aws/with-client.ts";

/** The addresses of a webhook's queues. */
export interface QueueUrls {
  readonly queueUrl: string;
  readonly deadLettersUrl: string;
}

/** Runs work with an SQS client, which is closed afterwards even if the work fails. */
export function withQueues<T>(work: (client: SQSClient) => Promise<T>): Promise<T> {
  // Calls the configured endpoint, not the one in the queue's address.
  return withClient(new SQSClient({ useQueueUrlAsEndpoint: false }), work);
}

/** Looks up the queues of a webhook. */
export async function findQueues(client: SQSClient, { queue, deadLetters }: WebhookSetting): Promise<QueueUrls> {
  const [queueUrl = "", deadLettersUrl = ""] = await Promise.all(
    [queue, deadLetters].map(async (QueueName) => (await client.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl),
  );
  return { queueUrl, deadLettersUrl };
}
