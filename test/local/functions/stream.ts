import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { afterEach, beforeEach, inject } from "vitest";
import { localCredentials } from "../../../infra/local/aws/local-credentials.ts";
import { createTable } from "../../../infra/local/engine/local-table.ts";
import { type StreamPump, startStreamPump } from "../../../infra/local/functions/stream-pump.ts";
import { openTableStream } from "../../../infra/local/functions/table-stream.ts";
import type { LocalStreamMapping } from "../../../infra/local/stack/event-sources.ts";
import { newFolder } from "../../support/service/new-folder.ts";

/** A consumer of a test, which gets a batch. */
export type Consume = (event: DynamoDBStreamEvent) => unknown;

/** A table with a stream, and pumps on it, of each test its own. */
export interface StreamOfTest {
  tableName: string;
  failures: unknown[];
  /** Writes items `<kind>#<n>` with a number, one after the other. */
  write(kind: string, numbers: readonly number[]): Promise<void>;
  /** Starts a pump; one that runs must be stopped first. */
  start(consumers: Record<string, Consume>, mapping?: Partial<LocalStreamMapping>): Promise<StreamPump>;
}

/** The stream's ARN as the stack of a test names it. */
export const streamArn = "arn:aws:dynamodb:eu-west-2:000000000000:table/Records/stream/local";

/** Gives each test of a file a table with a stream. */
export function useStream(): StreamOfTest {
  const stream = {} as StreamOfTest;
  let close: () => Promise<void>;
  beforeEach(async () => {
    const opened = await open();
    Object.assign(stream, opened.stream);
    close = opened.close;
  });
  afterEach(() => close());
  return stream;
}

async function open(): Promise<{ stream: StreamOfTest; close(): Promise<void> }> {
  const config = { endpoint: inject("engineEndpoint"), region: "eu-west-2", credentials: localCredentials };
  const client = new DynamoDBClient(config);
  const streams = new DynamoDBStreamsClient(config);
  const database = DynamoDBDocumentClient.from(client);
  const tableName = `stream-${crypto.randomUUID()}`;
  const placesDirectory = newFolder();
  await createTable(client, inject("tableDefinition"), tableName);
  const pumps: StreamPump[] = [];
  const failures: unknown[] = [];
  const stream: StreamOfTest = {
    tableName,
    failures,
    async write(kind, numbers) {
      for (const number of numbers) {
        const Item = { pk: `${kind}#${number}`, sk: kind, number };
        await database.send(new PutCommand({ TableName: tableName, Item }));
      }
    },
    async start(consumers, mapping) {
      const pump = startStreamPump({
        stream: await openTableStream(streams, tableName),
        consumers: Object.entries(consumers).map(([functionName, consume]) => ({
          mapping: { ...usualMapping, functionName, ...mapping },
          invoke: async (event) => consume(event),
        })),
        placesDirectory,
        onFailure: (_, error) => failures.push(error),
      });
      pumps.push(pump);
      return pump;
    },
  };
  const close = async () => {
    await Promise.all(pumps.map((pump) => pump.stop()));
    for (const each of [client, streams]) each.destroy();
  };
  return { stream, close };
}

const usualMapping = {
  streamArn,
  batchSize: 100,
  reportsItemFailures: true,
  filters: [],
};

/** The numbers of the items that a batch is about. */
export function numbersOf({ Records }: DynamoDBStreamEvent): number[] {
  return Records.map(({ dynamodb }) => Number((dynamodb?.NewImage ?? dynamodb?.OldImage)?.number?.N));
}

/** Names the record of one item as failed, as a function does. */
export function failing({ Records }: DynamoDBStreamEvent, number: number): object {
  const failed = Records.filter(({ dynamodb }) => dynamodb?.NewImage?.number?.N === String(number));
  return { batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber })) };
}
