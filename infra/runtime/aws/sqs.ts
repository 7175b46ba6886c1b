import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { buildApp } from "fauxqs";
import { localCredentials } from "./local-credentials.ts";

/** A queue as the stack defines it: its name and its attributes as SQS takes them. */
export interface QueueDefinition {
  name: string;
  attributes: Record<string, string>;
}

export interface Queues {
  endpoint: string;
  /** Creates missing queues and updates the attributes of the others. */
  create(definitions: QueueDefinition[]): Promise<unknown>;
  send(name: string, body: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts SQS on a free loopback port. It keeps messages in memory: fauxqs would store them on every interface only. */
export async function startQueues(region: string): Promise<Queues> {
  const app = buildApp({ logger: false, defaultRegion: region });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const client = new SQSClient({ endpoint: url, region, credentials: localCredentials });

  const create = async ({ name, attributes }: QueueDefinition) => {
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: name }));
    return client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: attributes }));
  };
  return {
    endpoint: url,
    create: (definitions) => Promise.all(definitions.map(create)),
    send: (name, MessageBody) => client.send(new SendMessageCommand({ QueueUrl: queueUrl(url, name), MessageBody })),
    close() {
      client.destroy();
      return app.close();
    },
  };
}

/** The address of a queue behind an SQS endpoint. */
export function queueUrl(endpoint: string, name: string): string {
  return `${endpoint}/000000000000/${name}`;
}

/** The approximate numbers of messages in a queue: those that wait, and those that are delayed or in work. */
export async function countMessages(client: SQSClient, QueueUrl: string): Promise<{ waiting: number; held: number }> {
  const kinds = ["", "NotVisible", "Delayed"] as const;
  const names = kinds.map((kind) => `ApproximateNumberOfMessages${kind}` as const);
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: names });
  const { Attributes = {} } = await client.send(command);
  const [waiting = 0, hidden = 0, delayed = 0] = names.map((name) => Number(Attributes[name] ?? 0));
  return { waiting, held: hidden + delayed };
}
