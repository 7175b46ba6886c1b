import { join } from "node:path";
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { findChanges } from "../../../functions/changes/find-changes.ts";
import { changedTypes } from "../../../shared/contract/changes.ts";
import { recordTypes } from "../../../shared/contract/records.ts";
import { entities } from "../../../shared/entities.ts";
import { readBatch } from "../../../shared/table/reads.ts";
import type { Item } from "../../../shared/table/table.ts";
import { localCredentials } from "../../runtime/aws/local-credentials.ts";
import { countMessages, type QueueDefinition, queueUrl } from "../../runtime/aws/sqs.ts";
import { withClient } from "../../runtime/aws/with-client.ts";
import { readJsonFile } from "../../support/json-file.ts";
import { type ItemIndex, ownConsumer } from "./item-index.ts";
import { maskBody, maskValue } from "./mask.ts";
import { queueTitle } from "./past-calls.ts";
import type { DeskOptions } from "./sources.ts";
import type { ItemView, RecordChange, ResourceRow, ResourcesView } from "./views.ts";

/** The kinds of items, those of records first. */
const kindNames = [...new Set([...recordTypes, ...entities.map(({ name }) => name)])];
const isRecord = (kind: string) => recordTypes.some((each) => each === kind);
const hasHistory = (kind: string) => changedTypes.some((each) => each.toLowerCase() === kind);

/** The queues, consumers of the stream and schedules, and the kinds of items. */
export async function viewData(sources: DeskOptions, index: ItemIndex): Promise<ResourcesView> {
  const counts = index.counts();
  return {
    kinds: kindNames.map((name) => ({
      name,
      count: counts[name] ?? 0,
      isRecord: isRecord(name),
      hasHistory: hasHistory(name),
    })),
    queues: await viewQueues(sources),
    stream: sources.stack.streamMappings.map(({ functionName }) => viewConsumer(functionName, sources)),
    schedules: [
      ...sources.stack.schedules.map(({ functionName, hour, minute, timeZone }) => ({
        name: functionName,
        about: `daily at ${twoDigits(hour)}:${twoDigits(minute)}, ${timeZone}`,
        action: { label: "Run now", path: "run", what: { function: functionName } },
      })),
      {
        name: "Pins, passwords, passcodes, SMS",
        about: "How often each was tried or sent",
        action: { label: "Reset", path: "limits", what: {} },
      },
    ],
  };
}

/** The queues, each with those of its messages that failed. */
function viewQueues(sources: DeskOptions): Promise<ResourceRow[]> {
  const { queues, mappings } = sources.stack;
  const dead = queues.map(deadLettersOf);
  return withSqs(sources, async (client, urlOf) => {
    const viewQueue = async (queue: QueueDefinition): Promise<ResourceRow> => {
      const { name } = queue;
      const title = queueTitle(name);
      const keeper = deadLettersOf(queue) ?? name;
      const failed = await countMessages(client, urlOf(keeper));
      const messages = await peek(client, urlOf(keeper));
      const chips = [chipOf(failed.waiting, "failed", "bad")];
      if (!mappings.some(({ queueName }) => queueName === name)) {
        return { name: title, about: "keeps what no queue took", chips, messages };
      }
      const { waiting, held } = await countMessages(client, urlOf(name));
      return {
        name: title,
        about: `${held} in work`,
        chips: [chipOf(waiting, "waiting", "warn"), ...chips],
        action: { label: "Redrive", path: "redrive", what: { queue: name }, isIdle: failed.waiting === 0 },
        messages,
      };
    };
    const rows = await Promise.all(queues.filter(({ name }) => !dead.includes(name)).map(viewQueue));
    return rows.sort((one, other) => one.name.localeCompare(other.name));
  });
}

function chipOf(count: number, words: string, look: "warn" | "bad") {
  return { words: `${count.toLocaleString("en-GB")} ${words}`, look: count > 0 ? look : "" } as const;
}

function deadLettersOf({ attributes }: QueueDefinition): string | undefined {
  return /"deadLetterTargetArn":"[^"]*:([^":]+)"/.exec(attributes.RedrivePolicy ?? "")?.[1];
}

/** More than a busy machine's consumers usually have to do. */
const manyChanges = 200;

/** A consumer of the stream, and how far it is behind the desk. */
function viewConsumer(name: string, sources: DeskOptions): ResourceRow {
  const [newest, after] = [placeOf(sources, ownConsumer), placeOf(sources, name)];
  const behind = Math.max(0, Number(newest) - Number(after)) || 0;
  const chip = chipOf(behind, "behind", behind > manyChanges ? "bad" : "warn");
  return {
    name,
    about: `after ${after === undefined ? "the beginning" : `change ${after}`}`,
    chips: [behind > 0 ? chip : { words: "up to date", look: "good" }],
  };
}

const mostItems = 50;

/** The newest items, each with the name of its user. Costs half a read unit for 4 KB of them, one round trip. */
export async function findItems(
  index: Pick<ItemIndex, "find" | "person">,
  kind: string,
  words: string,
): Promise<ItemView[]> {
  const found = index.find(kind, words, mostItems);
  const items = await readBatch(
    found.map(({ key }) => key),
    { consistent: false },
  );
  return found.flatMap(({ key: { pk, sk }, title }, at) => {
    const item = items[at];
    if (!item) return [];
    const owner = index.person(Number(item.user_id ?? /^USER#(\d+)$/.exec(pk)?.[1]))?.name ?? "";
    const named = [...(title.includes(owner) ? [] : [owner]), title].filter(Boolean).join(" · ");
    return [{ key: `${pk} ${sk}`, title: named, item: maskValue(item) as Item }];
  });
}

const mostChanges = 50;

/** The newest changes of a record; undefined for a kind without a history. Throws if there is no such record. */
export async function viewRecordChanges(kind: string, id: number): Promise<readonly RecordChange[] | undefined> {
  const record_type = changedTypes.find((type) => type.toLowerCase() === kind);
  if (!record_type) return undefined;
  return (await findChanges({ record_type, record_id: id }, "all", { limit: mostChanges, now: new Date() })).items;
}

/** Sends a queue's failed messages to it again, and returns their number. */
export async function redrive(name: string, sources: DeskOptions): Promise<number> {
  const queue = sources.stack.queues.find((each) => each.name === name);
  const dead = queue && deadLettersOf(queue);
  if (!dead) throw new Error(`No queue keeps failed messages of ${name}.`);
  return withSqs(sources, async (client, urlOf) => {
    let count = 0;
    for (;;) {
      const command = new ReceiveMessageCommand({ QueueUrl: urlOf(dead), MaxNumberOfMessages: 10 });
      const { Messages = [] } = await client.send(command);
      if (Messages.length === 0) return count;
      for (const { Body: MessageBody = "", ReceiptHandle } of Messages) {
        await client.send(new SendMessageCommand({ QueueUrl: urlOf(name), MessageBody }));
        await client.send(new DeleteMessageCommand({ QueueUrl: urlOf(dead), ReceiptHandle }));
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

/** Reads messages and makes them visible again: fauxqs does not if they are received with a timeout of 0. */
async function peek(client: SQSClient, QueueUrl: string): Promise<ResourceRow["messages"]> {
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

function placeOf({ placesDirectory }: DeskOptions, functionName: string): string | undefined {
  const file = join(placesDirectory, `${functionName}.json`);
  return readJsonFile<{ place?: { after?: string } }>(file)?.place?.after;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
