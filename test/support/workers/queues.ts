import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";

/** Takes every message that waits in a queue, oldest first, parsed; `setting` names the queue's address. */
export async function takeMessages(setting: string): Promise<unknown[]> {
  const client = new SQSClient({});
  const QueueUrl = process.env[setting];
  const taken: unknown[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    if (Messages.length === 0) return taken;
    taken.push(...Messages.map(({ Body }) => JSON.parse(Body ?? "null") as unknown));
    const Entries = Messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
}
