import { setTimeout as pause } from "node:timers/promises";
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { SQSEvent } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { localCredentials } from "../../../infra/runtime/aws/local-credentials.ts";
import { type QueueDefinition, type Queues, queueUrl, startQueues } from "../../../infra/runtime/aws/sqs.ts";
import { type PumpOptions, startPump } from "../../../infra/runtime/functions/pump.ts";

const region = "eu-west-2";
const arn = (name: string) => `arn:aws:sqs:${region}:000000000000:${name}`;
const redrive = JSON.stringify({ deadLetterTargetArn: arn("dead"), maxReceiveCount: 2 });
const definitions: QueueDefinition[] = [
  { name: "dead", attributes: {} },
  { name: "held", attributes: { VisibilityTimeout: "60" } },
  { name: "pins", attributes: { VisibilityTimeout: "0", RedrivePolicy: redrive } },
];

let queues: Queues;
let client: SQSClient;
let stops: (() => Promise<void>)[];
const failures: unknown[] = [];

beforeEach(async () => {
  stops = [];
  queues = await startQueues(region);
  await queues.create(definitions);
  client = new SQSClient({ endpoint: queues.endpoint, region, credentials: localCredentials });
});

afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  expect(failures).toEqual([]);
  await queues.close();
});

function pump(invoke: PumpOptions["invoke"], options: Partial<PumpOptions> = {}): void {
  const address = { client, queueUrl: queueUrl(queues.endpoint, "pins"), queueArn: arn("pins") };
  const onFailure = (error: unknown) => failures.push(error);
  stops.push(startPump({ ...address, batchSize: 10, reportsItemFailures: true, invoke, onFailure, ...options }).stop);
}

function send(body: string, to = "pins"): Promise<unknown> {
  const QueueUrl = queueUrl(queues.endpoint, to);
  return client.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
}

async function receiveDead(): Promise<string[]> {
  const command = new ReceiveMessageCommand({ QueueUrl: queueUrl(queues.endpoint, "dead"), WaitTimeSeconds: 5 });
  const { Messages = [] } = await client.send(command);
  return Messages.map((message) => message.Body ?? "");
}

describe("a pump", () => {
  it("hands over messages as Lambda does", async () => {
    await send("hello");
    const event = await new Promise<SQSEvent>((resolve) => pump(async (received) => resolve(received)));
    expect(event.Records).toEqual([
      expect.objectContaining({
        body: "hello",
        eventSource: "aws:sqs",
        eventSourceARN: arn("pins"),
        awsRegion: region,
        attributes: expect.objectContaining({ ApproximateReceiveCount: "1" }),
      }),
    ]);
  });

  it("brings back only what failed, and dead-letters it when it keeps failing", async () => {
    const seen: string[] = [];
    for (const body of ["good", "bad"]) await send(body);
    pump(async ({ Records }) => {
      seen.push(...Records.map((record) => record.body));
      const failed = Records.filter((record) => record.body === "bad");
      return { batchItemFailures: failed.map((record) => ({ itemIdentifier: record.messageId })) };
    });
    expect(await receiveDead()).toEqual(["bad"]);
    expect(seen.sort()).toEqual(["bad", "bad", "good"]);
  });

  it.each<[string, PumpOptions["invoke"]]>([
    ["throws", () => Promise.reject(new Error("down"))],
    ["names a message that is not in the batch", async () => ({ batchItemFailures: [{ itemIdentifier: "unknown" }] })],
    ["names no list", async () => ({ batchItemFailures: "all of them" })],
  ])("brings back the whole batch when the function %s, as Lambda does", async (_, invoke) => {
    await send("bad");
    let calls = 0;
    pump((event) => {
      calls += 1;
      return invoke(event);
    });
    expect(await receiveDead()).toEqual(["bad"]);
    expect(calls).toBe(2);
  });

  it.each([
    [3, 3],
    [10, 10],
    [100, 10],
  ])("hands over, of a batch of %i, at most %i messages at once", async (batchSize, most) => {
    for (let sent = 0; sent < 11; sent += 1) await send("hello", "held");
    const held = { queueUrl: queueUrl(queues.endpoint, "held"), queueArn: arn("held"), batchSize };
    const event = await new Promise<SQSEvent>((resolve) => pump(async (received) => resolve(received), held));
    expect(event.Records).toHaveLength(most);
  });

  it("finishes the batch in hand before it stops", async () => {
    await send("slow");
    const invoked = Promise.withResolvers<void>();
    let finished = false;
    pump(async () => {
      invoked.resolve();
      await new Promise(setImmediate);
      finished = true;
    });
    await invoked.promise;
    await stops.pop()?.();
    expect(finished).toBe(true);
  });

  it("takes no message with it when it stops", async () => {
    const held = { queueUrl: queueUrl(queues.endpoint, "held"), queueArn: arn("held") };
    const invoke = vi.fn();
    pump(invoke, held);
    await pause(50);
    await stops.pop()?.();
    expect(invoke).not.toHaveBeenCalled();
    await send("for the next one", "held");
    const event = await new Promise<SQSEvent>((resolve) => pump(async (received) => resolve(received), held));
    expect(event.Records).toHaveLength(1);
  });
});
