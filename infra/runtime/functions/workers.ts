import { setTimeout as pause } from "node:timers/promises";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { SQSClient } from "@aws-sdk/client-sqs";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { localAccount } from "../aws/local-account.ts";
import { localCredentials } from "../aws/local-credentials.ts";
import { countMessages, queueUrl } from "../aws/sqs.ts";
import type { LocalStack } from "../stack/template.ts";
import type { Invoke } from "./environments.ts";
import { type PumpOptions, startPump } from "./pump.ts";
import { startSchedules } from "./schedules.ts";
import { type StreamConsumer, startStreamPump } from "./stream-pump.ts";
import { openTableStream } from "./table-stream.ts";

export interface WorkersOptions {
  stack: LocalStack;
  /** The environment of a client of the stack's table and queues. */
  environment: Readonly<Record<string, string>>;
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
const observer = { functionName: "desk", batchSize: 100, reportsItemFailures: false, bisects: false, filters: [] };

/** The pumps of queues and stream, and the schedules: everything that calls functions without a request. */
export interface Workers {
  /**
   * Waits until all earlier writes and messages are processed, with everything that followed from them. Throws if the stream's
   * consumers, or the queues after them, take longer than that, for example if a message waits for its next try.
   */
  settled(milliseconds: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { stack, environment } = options;
  const { AWS_REGION: region = "", AWS_ENDPOINT_URL_SQS = "", AWS_ENDPOINT_URL_DYNAMODB_STREAMS = "" } = environment;
  const client = { region, credentials: localCredentials };
  const queues = new SQSClient({ ...client, endpoint: AWS_ENDPOINT_URL_SQS });
  const streams = new DynamoDBStreamsClient({ ...client, endpoint: AWS_ENDPOINT_URL_DYNAMODB_STREAMS });
  let batches = 0;
  const invoke: Invoke = (name, event) => {
    batches += 1;
    return options.invoke(name, event);
  };
  const call = (name: string, event: object) => invoke(name, event).catch(() => {});

  const stream = await startStream({ ...options, invoke }, streams);
  const pumped = stack.mappings.map((mapping) => pumpOptions(mapping, { ...options, invoke }, queues));
  const parts = [...pumped.map(startPump), stream, startSchedules(stack.schedules, call)];
  return {
    async settled(milliseconds) {
      const deadline = Date.now() + milliseconds;
      for (;;) {
        const before = batches;
        await stream.settled(milliseconds);
        const counts = await Promise.all(pumped.map(({ queueUrl }) => countMessages(queues, queueUrl)));
        const queued = counts.reduce((sum, { waiting, held }) => sum + waiting + held, 0);
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
  { environment, invoke, onFailure }: WorkersOptions,
  client: SQSClient,
): PumpOptions {
  return {
    ...mapping,
    client,
    queueUrl: queueUrl(environment.AWS_ENDPOINT_URL_SQS ?? "", queueName),
    queueArn: `arn:aws:sqs:${environment.AWS_REGION}:${localAccount}:${queueName}`,
    invoke: (event) => invoke(functionName, event),
    onFailure: (error) => onFailure?.(functionName, error),
  };
}
