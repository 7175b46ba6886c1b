import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSEvent } from "aws-lambda";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { handler } from "../../../functions/workers/intake.ts";
import { queueUrl } from "../../../infra/local/aws/sqs.ts";
import { startPump } from "../../../infra/local/functions/pump.ts";
import { findUnreadCounts } from "../../../shared/db/notifications/notification-counts.ts";
import { notificationKey } from "../../../shared/db/notifications/notifications.ts";
import { readBatch } from "../../../shared/db/table/batch-reads.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import { useFaultProxy } from "../../support/faults/fault-proxy.ts";
import { invoiceLine, jobLine, notificationLine } from "../../support/records/records.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";

const messageCount = usualOrFull(400, 10_000);
const oneSlowIn = usualOrFull(40, 100);
const patienceMs = usualOrFull(60_000, 600_000);
const pumps = 8;
const visibilitySeconds = 5;
const mostRepeats = 10;
const users = 20;

const arn = (name: string) => `arn:aws:sqs:eu-west-1:000000000000:${name}`;
const service = useService();
const proxy = useFaultProxy();
let client: SQSClient;
const urlOf = (name: string) => queueUrl(service.queues.endpoint, name);

beforeAll(async () => {
  client = new SQSClient({});
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arn("intake-dead"), maxReceiveCount: 3 });
  await service.queues.create([{ name: "intake-dead", attributes: {} }]);
  await service.queues.create([
    { name: "intake", attributes: { VisibilityTimeout: String(visibilitySeconds), RedrivePolicy } },
  ]);
  return () => client.destroy();
});

/** The same numbers in every run. */
function chanceFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function shuffle<T>(all: T[], chance: (below: number) => number): T[] {
  for (let at = all.length - 1; at > 0; at -= 1) {
    const other = chance(at + 1);
    [all[at], all[other]] = [all[other] as T, all[at] as T];
  }
  return all;
}

function envelope(detail: unknown, type = "Record"): string {
  return JSON.stringify({ version: "0", id: crypto.randomUUID(), "detail-type": type, source: "rota", detail });
}

const poisons: readonly ((at: number) => string)[] = [
  (at) => `not JSON ${at}`,
  (at) => envelope({ ...jobLine(at + 1, 1), version: 99, event_id: `e${at}` }, "Unknown"),
  (at) => envelope({ ...jobLine(at + 1, 1), version: 99 }),
  (at) => envelope({ ...jobLine(at + 1, 1), event_id: `e${at}` }),
  (at) => envelope({ ...jobLine(at + 1, 1), version: 2 ** 53, event_id: `e${at}` }),
  (at) => envelope({ ...jobLine(at + 1, 1), version: 99, event_id: `e${at}`, titel: "x" }),
  (at) => envelope({ type: "user", id: 7, version: 99, event_id: `e${at}`, deleted: true }),
  (at) => envelope({ type: "job", id: 9_000_000 + at, version: 99, event_id: `e${at}`, title: "not whole" }),
];

/** One record's life: its key, what it must hold in the end, and the messages about it. */
interface History {
  readonly kind: "job" | "invoice" | "notification";
  readonly id: number;
  readonly last: { readonly version: number; readonly deleted: boolean };
  readonly bodies: readonly string[];
}

const lines = {
  job: (id: number) => jobLine(id, 1),
  invoice: (id: number) => invoiceLine(id, 1),
  notification: (id: number) => notificationLine(id, userOf(id)),
};

function userOf(id: number): number {
  return (id % users) + 1;
}

function historyOf(id: number, chance: (below: number) => number): History {
  const kind = (["job", "invoice", "notification"] as const)[id % 3] ?? "job";
  const owner = kind === "notification" ? { user_id: userOf(id) } : {};
  const versions = Array.from({ length: 1 + chance(4) }, (_, at) => ({ version: at + 1, deleted: chance(5) === 0 }));
  const bodies = versions.flatMap(({ version, deleted }) => {
    const line = deleted ? { type: kind, id, ...owner, deleted } : lines[kind](id);
    const body = envelope({ ...line, version, event_id: `${kind}-${id}-${version}` });
    return Array.from({ length: chance(8) === 0 ? mostRepeats : 1 + chance(3) }, () => body);
  });
  return { kind, id, last: versions.at(-1) ?? { version: 0, deleted: true }, bodies };
}

async function send(bodies: readonly string[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(bodies.length / 10) }, (_, at) => bodies.slice(at * 10, at * 10 + 10));
  const waiting = batches.values();
  const runner = async () => {
    for (const batch of waiting) {
      const Entries = batch.map((MessageBody, at) => ({ Id: String(at), MessageBody }));
      await client.send(new SendMessageBatchCommand({ QueueUrl: urlOf("intake"), Entries }));
    }
  };
  await Promise.all(Array.from({ length: 8 }, runner));
}

async function countIn(queue: string): Promise<number> {
  const AttributeNames = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const;
  const asked = new GetQueueAttributesCommand({ QueueUrl: urlOf(queue), AttributeNames: [...AttributeNames] });
  const { Attributes = {} } = await client.send(asked);
  return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name]), 0);
}

async function bodiesIn(queue: string): Promise<string[]> {
  const bodies: string[] = [];
  const ask = new ReceiveMessageCommand({ QueueUrl: urlOf(queue), MaxNumberOfMessages: 10, VisibilityTimeout: 600 });
  for (;;) {
    const { Messages = [] } = await client.send(ask);
    if (Messages.length === 0) return bodies;
    bodies.push(...Messages.map(({ Body = "" }) => Body));
  }
}

/** Processes the queue until the test ends; answers with how many messages were handed out so far. */
function pumpQueue(): () => number {
  let handedOut = 0;
  const invoke = (event: SQSEvent) => {
    handedOut += event.Records.length;
    return handler(event);
  };
  const running = Array.from({ length: pumps }, () =>
    startPump({
      client,
      queueUrl: urlOf("intake"),
      queueArn: arn("intake"),
      batchSize: 10,
      reportsItemFailures: true,
      invoke,
    }),
  );
  onTestFinished(async () => void (await Promise.all(running.map(({ stop }) => stop()))));
  return () => handedOut;
}

async function storedItems(histories: readonly History[]): Promise<(Item | undefined)[]> {
  const keyOf = ({ kind, id }: History) => {
    if (kind === "notification") return notificationKey(userOf(id), id);
    return recordKey(kind === "job" ? "JOB" : "INVOICE", id);
  };
  const items: (Item | undefined)[] = [];
  for (let at = 0; at < histories.length; at += 100) {
    items.push(...(await readBatch(histories.slice(at, at + 100).map(keyOf))));
  }
  return items;
}

test(
  `of ${messageCount} events, repeated, out of order, slow and poisonous, none is lost, doubled or quarantined in error`,
  async () => {
    const chance = chanceFrom(20_260_510);
    const poison = Array.from({ length: 80 }, (_, at) => poisons[at % poisons.length]?.(at) ?? "");
    const histories: History[] = [];
    for (let left = messageCount - poison.length, id = 1; left > 0; id += 1) {
      const history = historyOf(id, chance);
      const bodies = history.bodies.slice(0, left);
      if (bodies.length < history.bodies.length) {
        poison.push(...Array.from({ length: left }, (_, at) => `filler ${at}`));
        break;
      }
      histories.push(history);
      left -= bodies.length;
    }
    // Held back for longer than a message stays invisible, so that others get it meanwhile.
    proxy.slow("TransactWriteItems", (visibilitySeconds + 1) * 1000, oneSlowIn, 4);
    await send(shuffle([...histories.flatMap(({ bodies }) => bodies), ...poison], chance));
    expect(await countIn("intake")).toBe(messageCount);
    const handedOut = pumpQueue();
    await expect.poll(() => countIn("intake"), { timeout: patienceMs, interval: 250 }).toBe(0);

    expect((await bodiesIn("intake-dead")).toSorted()).toEqual(poison.toSorted());
    // Three times each poisonous message, and the slow ones' batches more than once.
    expect(handedOut()).toBeGreaterThan(messageCount + 2 * poison.length);
    const items = await storedItems(histories);
    const versions = items.map((item) => item?.version);
    expect(versions).toEqual(histories.map(({ last }) => (last.deleted ? undefined : last.version)));
    const alive = histories.filter(({ kind, last }) => kind === "notification" && !last.deleted);
    for (let user = 1; user <= users; user += 1) {
      const mine = alive.filter(({ id }) => userOf(id) === user);
      expect(await findUnreadCounts(user)).toMatchObject({ notifications: mine.length });
    }
  },
  patienceMs + 60_000,
);
