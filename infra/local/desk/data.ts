import { join } from "node:path";
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { changedTypes } from "../../../shared/contract/changes.ts";
import { entities } from "../../../shared/db/entities.ts";
import { readBatch } from "../../../shared/db/table/batch-reads.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import { findChanges } from "../../../shared/history/find-changes.ts";
import type { ShownChange } from "../../../shared/history/shown-changes.ts";
import { localCredentials } from "../aws/local-credentials.ts";
import { countMessages, queueUrl } from "../aws/sqs.ts";
import { withClient } from "../aws/with-client.ts";
import { openJsonFile } from "../json-file.ts";
import type { LocalStack } from "../stack/template.ts";
import { type ItemIndex, ownConsumer, type Wanted } from "./item-index.ts";
import { maskBody, maskValue } from "./mask.ts";
import type { DeskOptions } from "./sources.ts";
import type { ConsumerView, ItemView, QueueView, RecordChange, ResourcesView } from "./views.ts";

/** The queues, consumers of the stream and schedules, and the kinds of items. */
export async function viewData(sources: DeskOptions, index: ItemIndex): Promise<ResourcesView> {
  const counts = index.counts();
  return {
    kinds: entities.map(({ name }) => ({ name, count: counts[name] ?? 0 })),
    queues: await viewQueues(sources),
    consumers: viewConsumers(sources),
    schedules: sources.stack.schedules.map(({ functionName, hour, minute, timeZone }) => ({
      functionName,
      when: `daily at ${twoDigits(hour)}:${twoDigits(minute)}, ${timeZone}`,
    })),
  };
}

export function viewQueues(sources: DeskOptions): Promise<QueueView[]> {
  const { stack } = sources;
  return withSqs(sources, (client, urlOf) =>
    Promise.all(stack.queues.map(({ name }) => viewQueue(name, urlOf(name), stack, client))),
  );
}

/** The consumers of the stream, and how far each is behind the desk. */
export function viewConsumers(sources: DeskOptions): ConsumerView[] {
  const newest = Number(placeOf(sources, ownConsumer));
  return sources.stack.streamMappings.map(({ functionName }) => {
    const after = placeOf(sources, functionName);
    const behind = newest - Number(after);
    return { functionName, after, behind: Number.isNaN(behind) ? null : Math.max(0, behind) };
  });
}

const mostItems = 50;

/** The newest items, each with the name of its user. Costs half a read unit for 4 KB of them, one round trip. */
export async function findItems(
  index: Pick<ItemIndex, "find" | "person">,
  wanted: Pick<Wanted, "kind" | "words">,
): Promise<ItemView[]> {
  const found = index.find({ ...wanted, most: mostItems });
  const items = await readBatch(
    found.map(({ key }) => key),
    { consistent: false },
  );
  return found.flatMap(({ key: { pk, sk }, title }, at) => {
    const item = items[at];
    if (!item) return [];
    const owner = index.person(Number(item.user_id ?? /^USER#(\d+)$/.exec(pk)?.[1]))?.name ?? "";
    const words = [...(title.includes(owner) ? [] : [owner]), title].filter(Boolean).join(" · ");
    return [{ key: `${pk} ${sk}`, title: words, item: maskValue(item) as Item }];
  });
}

const mostChanges = 50;

/** The newest changes of a record; undefined for a kind without a history. Throws if there is no such record. */
export async function viewRecordChanges(kind: string, id: number): Promise<RecordChange[] | undefined> {
  const record_type = changedTypes.find((type) => type.toLowerCase() === kind);
  if (!record_type) return undefined;
  const what = { record_type, record_id: id };
  const { items } = await findChanges(what, "all", { limit: mostChanges, now: new Date() });
  return items.map(viewRecordChange);
}

function viewRecordChange({ id, at, action, by, operation, request_id, fields }: ShownChange): RecordChange {
  return {
    id,
    at: Date.parse(at),
    action: action.replaceAll("_", " "),
    by: by.name ?? [by.kind, by.id].filter((part) => part !== null).join(" "),
    operation,
    requestId: request_id,
    fields: fields.map(({ name, before, after }) => ({ name, before: textOf(before), after: textOf(after) })),
  };
}

function textOf(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Sends a dead letter queue's messages back to the queue that they failed in, and returns their number. */
export async function redrive(name: string, sources: DeskOptions): Promise<number> {
  const source = sourceOf(name, sources.stack);
  if (source === undefined) throw new Error(`${name} keeps messages of no queue: they cannot be sent again from here.`);
  return withSqs(sources, async (client, urlOf) => {
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

async function withSqs<T>(
  { environment }: DeskOptions,
  work: (client: SQSClient, urlOf: (name: string) => string) => Promise<T>,
): Promise<T> {
  const { AWS_ENDPOINT_URL_SQS: endpoint = "", AWS_REGION: region = "" } = environment;
  return withClient(new SQSClient({ endpoint, region, credentials: localCredentials }), (client) =>
    work(client, (name) => queueUrl(endpoint, name)),
  );
}

async function viewQueue(name: string, QueueUrl: string, stack: LocalStack, client: SQSClient): Promise<QueueView> {
  const { waiting, held } = await countMessages(client, QueueUrl);
  const keepsFailed = !stack.mappings.some(({ queueName }) => queueName === name);
  return {
    name,
    waiting,
    inWork: held,
    deadLettersOf: sourceOf(name, stack) ?? null,
    keepsFailed,
    messages: keepsFailed && waiting > 0 ? await peek(client, QueueUrl) : [],
  };
}

/** Reads messages and makes them visible again: fauxqs does not if they are received with a timeout of 0. */
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
    sentAt: Number(Attributes?.SentTimestamp),
    body: maskBody(Body),
  }));
}

function sourceOf(name: string, { queues }: LocalStack): string | undefined {
  return queues.find(({ attributes }) => attributes.RedrivePolicy?.includes(`:${name}"`))?.name;
}

function placeOf({ placesDirectory }: DeskOptions, functionName: string): string {
  const file = join(placesDirectory, `${functionName}.json`);
  return openJsonFile<{ place?: { after?: string } }>(file, {}).value.place?.after ?? "the beginning";
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
