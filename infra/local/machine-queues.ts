import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { localCredentials } from "../runtime/aws/local-credentials.ts";
import { countMessages, type QueueDefinition, queueUrl } from "../runtime/aws/sqs.ts";
import { withClient } from "../runtime/aws/with-client.ts";
import type { TakenIn } from "./local-aws.ts";

/** A queue of the local machine, with the numbers of its messages. */
export interface QueueState {
  /** Its name in the stack, without the part that makes it unique among all stacks. */
  readonly name: string;
  readonly waiting: number;
  /** Delayed, or in the work of a function. */
  readonly held: number;
  readonly failed: number;
}

/** The queues by name. Each message of a queue without a worker has failed: no other queue took it. */
export function readQueues(machine: TakenIn): Promise<QueueState[]> {
  const { queues, mappings } = machine.stack;
  const dead = queues.map(deadLettersOf);
  return withSqs(machine, (client, urlOf) => {
    const read = async (queue: QueueDefinition): Promise<QueueState> => {
      const name = shortName(queue.name);
      const failed = await countMessages(client, urlOf(deadLettersOf(queue) ?? queue.name));
      if (!mappings.some(({ queueName }) => queueName === queue.name)) {
        return { name, waiting: 0, held: 0, failed: failed.waiting };
      }
      return { name, ...(await countMessages(client, urlOf(queue.name))), failed: failed.waiting };
    };
    const shown = queues.filter(({ name }) => !dead.includes(name));
    return Promise.all(shown.toSorted((one, other) => one.name.localeCompare(other.name)).map(read));
  });
}

/** Sends a queue's failed messages to it again, and returns their number. Throws a sentence if it keeps none. */
export function redrive(name: string, machine: TakenIn): Promise<number> {
  const { queues } = machine.stack;
  const queue = queues.find((each) => shortName(each.name) === name);
  const dead = queue && deadLettersOf(queue);
  if (!dead) {
    const names = queues.filter((each) => deadLettersOf(each)).map((each) => shortName(each.name));
    throw new Error(`No queue keeps failed messages of ${name}: say one of ${names.sort().join(", ")}.`);
  }
  return withSqs(machine, async (client, urlOf) => {
    let count = 0;
    for (;;) {
      const command = new ReceiveMessageCommand({ QueueUrl: urlOf(dead), MaxNumberOfMessages: 10 });
      const { Messages = [] } = await client.send(command);
      if (Messages.length === 0) return count;
      for (const { Body: MessageBody = "", ReceiptHandle } of Messages) {
        await client.send(new SendMessageCommand({ QueueUrl: urlOf(queue.name), MessageBody }));
        await client.send(new DeleteMessageCommand({ QueueUrl: urlOf(dead), ReceiptHandle }));
        count += 1;
      }
    }
  });
}

/** The name of a queue without the part that makes it unique among all stacks. */
function shortName(name: string): string {
  return name.replace(/(Queue)?[0-9A-F]{8}$/, "");
}

function deadLettersOf({ attributes }: QueueDefinition): string | undefined {
  return /"deadLetterTargetArn":"[^"]*:([^":]+)"/.exec(attributes.RedrivePolicy ?? "")?.[1];
}

async function withSqs<T>(
  { environment }: TakenIn,
  work: (client: SQSClient, urlOf: (name: string) => string) => Promise<T>,
): Promise<T> {
  const { AWS_ENDPOINT_URL_SQS: endpoint = "", AWS_REGION: region = "" } = environment;
  return withClient(new SQSClient({ endpoint, region, credentials: localCredentials }), (client) =>
    work(client, (name) => queueUrl(endpoint, name)),
  );
}
