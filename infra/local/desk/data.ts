import { join } from "node:path";
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { entities } from "../../../shared/db/entities.ts";
import { keyOf } from "../../../shared/db/table/item-keys.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import { localCredentials } from "../aws/local-credentials.ts";
import { queueUrl } from "../aws/sqs.ts";
import { openJsonFile } from "../json-file.ts";
import type { LocalStack } from "../stack/template.ts";
import { titleOf } from "./item-title.ts";
import { maskBody, maskValue } from "./mask.ts";
import { scanItems } from "./scan-items.ts";
import type { ItemsView, QueueView, ResourcesView } from "./views.ts";

/** The stack's queues and stream, and the folder of the consumers' positions. */
export interface DataSources {
  stack: LocalStack;
  environment: Readonly<Record<string, string>>;
  placesDirectory: string;
}

/** The queues, consumers of the stream and schedules, and the kinds of items. */
export async function viewData(sources: DataSources, ownConsumer: string): Promise<ResourcesView> {
  const { stack } = sources;
  const newest = placeOf(sources, ownConsumer);
  return {
    kinds: entities.map(({ name, version }) => ({ name, version })),
    queues: await withSqs(sources, (sqs) =>
      Promise.all(stack.queues.map((queue) => viewQueue(queue.name, stack, sqs))),
    ),
    consumers: stack.streamMappings.map(({ functionName }) => {
      const after = placeOf(sources, functionName);
      const behind = Number(newest) - Number(after);
      return { functionName, after, behind: Number.isNaN(behind) ? null : Math.max(0, behind) };
    }),
    schedules: stack.schedules.map(({ functionName, hour, minute, timeZone }) => ({
      functionName,
      when: `daily at ${twoDigits(hour)}:${twoDigits(minute)}, ${timeZone}`,
    })),
  };
}

const itemsInPage = 50;

/** A page of items of a kind in the table's order, from a key on. */
export async function findItems(kind: string, from: string | null): Promise<ItemsView> {
  const entity = entities.find(({ name }) => name === kind);
  const { items, lastKey } = await scanItems({
    isWanted: (key) => entity?.matches(key) ?? false,
    from: from === null ? undefined : JSON.parse(from),
    enough: itemsInPage,
  });
  const shown = items.slice(0, itemsInPage);
  const last = items.length > itemsInPage ? shown.at(-1) : lastKey;
  return {
    items: shown.map((each) => {
      const item = maskValue(each) as Item;
      return { key: `${each.pk} ${each.sk}`, title: titleOf(item), item };
    }),
    next: last ? JSON.stringify(keyOf(last)) : null,
  };
}

/** Sends a dead letter queue's messages back to the queue that they failed in, and returns their number. */
export async function redrive(name: string, sources: DataSources): Promise<number> {
  const source = sourceOf(name, sources.stack);
  if (source === undefined) throw new Error(`${name} keeps messages of no queue: they cannot be sent again from here.`);
  return withSqs(sources, async ({ client, urlOf }) => {
    let count = 0;
    for (;;) {
      const command = new ReceiveMessageCommand({ QueueUrl: urlOf(name), MaxNumberOfMessages: 10 });
      const { Messages = [] } = await client.send(command);
      if (Messages.length === 0) return count;
      for (const { Body: MessageBody = "", ReceiptHandle } of Messages) {
        await client.send(new SendMessageCommand({ QueueUrl: urlOf(source), MessageBody }));
        await client.send(new DeleteMessageCommand({ QueueUrl: urlOf(name), ReceiptHandle }));
        count += 1;
      }
    }
  });
}

interface Sqs {
  client: SQSClient;
  urlOf(name: string): string;
}

async function withSqs<T>({ environment }: DataSources, work: (sqs: Sqs) => Promise<T>): Promise<T> {
  const { AWS_ENDPOINT_URL_SQS: endpoint = "", AWS_REGION: region = "" } = environment;
  const client = new SQSClient({ endpoint, region, credentials: localCredentials });
  try {
    return await work({ client, urlOf: (name) => queueUrl(endpoint, name) });
  } finally {
    client.destroy();
  }
}

async function viewQueue(name: string, stack: LocalStack, { client, urlOf }: Sqs): Promise<QueueView> {
  const QueueUrl = urlOf(name);
  const { Attributes = {} } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
  const waiting = Number(Attributes.ApproximateNumberOfMessages ?? 0);
  const keepsFailed = !stack.mappings.some(({ queueName }) => queueName === name);
  return {
    name,
    waiting,
    inWork: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
    deadLettersOf: sourceOf(name, stack) ?? null,
    keepsFailed,
    messages: keepsFailed && waiting > 0 ? await peek(client, QueueUrl) : [],
  };
}

/** Reads messages that no worker takes, and makes them visible again at once. */
async function peek(client: SQSClient, QueueUrl: string): Promise<QueueView["messages"]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ["SentTimestamp"],
    }),
  );
  const Entries = Messages.map(({ ReceiptHandle }, at) => ({ Id: `${at}`, ReceiptHandle, VisibilityTimeout: 0 }));
  if (Entries.length > 0) await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
  return Messages.map(({ MessageId = "", Body = "", Attributes }) => ({
    id: MessageId,
    sentAt: Number(Attributes?.SentTimestamp ?? 0),
    body: maskBody(Body),
  }));
}

function sourceOf(name: string, { queues }: LocalStack): string | undefined {
  return queues.find(({ attributes }) => attributes.RedrivePolicy?.includes(`:${name}"`))?.name;
}

function placeOf({ placesDirectory }: DataSources, functionName: string): string {
  const file = join(placesDirectory, `${functionName}.json`);
  return openJsonFile<{ place?: { after?: string } }>(file, {}).value.place?.after ?? "the beginning";
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
