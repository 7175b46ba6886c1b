import { setTimeout as pause } from "node:timers/promises";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { SQSClient } from "@aws-sdk/client-sqs";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { localAccount } from "../aws/local-account.ts";
import { localCredentials } from "../aws/local-credentials.ts";
import { countMessages, queueUrl } from "../aws/sqs.ts";
import type { Engine } from "../engine/engine.ts";
import type { LocalStack } from "../stack/template.ts";
import type { Invoke } from "./environments.ts";
import { type PumpOptions, startPump } from "./pump.ts";
import { startSchedules } from "./schedules.ts";
import { type StreamConsumer, startStreamPump } from "./stream-pump.ts";
import { openTableStream } from "./table-stream.ts";

export interface WorkersOptions {
  stack: LocalStack;
  engine: Engine;
  region: string;
  queueEndpoint: string;
  /** The folder that keeps each stream consumer's position. */
  placesDirectory: string;
  /** Reports its errors itself. */
  invoke: Invoke;
  /** Called if a queue or the stream cannot be read. It is read again. */
  onFailure?: ((functionName: string, error: unknown) => void) | undefined;
  /**
   * Called with the stream's name before it is read. The function that it returns is called with every change of the
   * table, in order, including changes that no function consumes.
   */
  onStream?(arn: string): (event: DynamoDBStreamEvent) => Promise<void>;
}

/** The consumer that shows changes, named as the file that keeps its position. */
const observer = { functionName: "desk", batchSize: 100, reportsItemFailures: false, filters: [] };

/** The pumps of queues and stream, and the schedules: everything that calls functions without a request. */
export interface Workers {
  /**
   * Waits until all earlier writes and messages are processed, with everything that followed from them. Throws after
   * that many milliseconds, for example if a message waits for its next try.
   */
  settled(milliseconds: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { stack, engine, region, queueEndpoint } = options;
  const client = { region, credentials: localCredentials };
  const queues = new SQSClient({ ...client, endpoint: queueEndpoint });
  const streams = new DynamoDBStreamsClient({ ...client, endpoint: engine.endpoint });
  // The middleware copies every answer for a logger, and there is no logger.
  streams.middlewareStack.remove("loggerMiddleware");
  let batches = 0;
  const invoke: Invoke = (name, event) => {
    batches += 1;
    return options.invoke(name, event);
  };
  const call = (name: string, event: object) => invoke(name, event).catch(() => {});

  const stream = await startStream({ ...options, invoke }, streams);
  const parts = [
    ...stack.mappings.map((mapping) => startPump(pumpOptions(mapping, { ...options, invoke }, queues))),
    stream,
    startSchedules(stack.schedules, call),
  ];
  return {
    async settled(milliseconds) {
      const deadline = Date.now() + milliseconds;
      for (;;) {
        const before = batches;
        await stream.settled(Math.max(shortestWaitMilliseconds, deadline - Date.now()));
        const queued = await countQueued(queues, options);
        // Stream consumers queue messages and queue workers write, which is work too.
        if (queued === 0 && batches === before) return;
        if (Date.now() > deadline) throw new Error(`${queued} messages are still queued.`);
        await pause(20);
      }
    },
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
      for (const each of [queues, streams]) each.destroy();
    },
  };
}

async function startStream(options: WorkersOptions, streams: DynamoDBStreamsClient) {
  const { stack, placesDirectory, invoke, onFailure, onStream } = options;
  const consumers: StreamConsumer[] = stack.streamMappings.map((mapping) => ({
    mapping,
    invoke: (event) => invoke(mapping.functionName, event),
  }));
  const [{ streamArn = "" } = {}] = stack.streamMappings;
  const stream = await openTableStream(streams, stack.table.name);
  // First, so that the desk shows a change before its consequences.
  if (onStream) consumers.unshift({ mapping: { ...observer, streamArn }, invoke: onStream(stream.arn) });
  return startStreamPump({ stream, consumers, placesDirectory, onFailure });
}

function pumpOptions(
  { functionName, queueName, ...mapping }: LocalStack["mappings"][number],
  { region, queueEndpoint, invoke, onFailure }: WorkersOptions,
  client: SQSClient,
): PumpOptions {
  return {
    ...mapping,
    client,
    queueUrl: queueUrl(queueEndpoint, queueName),
    queueArn: `arn:aws:sqs:${region}:${localAccount}:${queueName}`,
    invoke: (event) => invoke(functionName, event),
    onFailure: (error) => onFailure?.(functionName, error),
  };
}

// Long enough for idle consumers to look once more.
const shortestWaitMilliseconds = 1_000;

async function countQueued(client: SQSClient, { stack, queueEndpoint }: WorkersOptions): Promise<number> {
  const urls = stack.mappings.map(({ queueName }) => queueUrl(queueEndpoint, queueName));
  const counts = await Promise.all(urls.map((url) => countMessages(client, url)));
  return counts.reduce((sum, { waiting, held }) => sum + waiting + held, 0);
}
