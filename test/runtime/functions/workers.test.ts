import { setTimeout as pause } from "node:timers/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { DynamoDBStreamEvent, SQSEvent } from "aws-lambda";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { localCredentials } from "../../../infra/runtime/aws/local-credentials.ts";
import { type Queues, startQueues } from "../../../infra/runtime/aws/sqs.ts";
import { createTable } from "../../../infra/runtime/engine/local-table.ts";
import { startWorkers, type Workers, type WorkersOptions } from "../../../infra/runtime/functions/workers.ts";
import type { LocalStack } from "../../../infra/runtime/stack/template.ts";
import { newFolder } from "../../support/service/new-folder.ts";

const region = "eu-west-2";
const patience = 20_000;
let directory: string;
let tableName: string;
let queues: Queues;
let database: DynamoDBDocumentClient;
let workers: Workers | undefined;

beforeEach(async () => {
  directory = newFolder();
  tableName = `workers-${crypto.randomUUID()}`;
  const client = new DynamoDBClient({ endpoint: inject("engineEndpoint"), region, credentials: localCredentials });
  await createTable(client, inject("tableDefinition"), tableName);
  database = DynamoDBDocumentClient.from(client);
  queues = await startQueues(region);
  await queues.create([{ name: "work", attributes: { VisibilityTimeout: "60" } }]);
});

afterEach(async () => {
  await workers?.stop();
  await queues.close();
  database.destroy();
});

const put = (sk: string, number: number) =>
  database.send(new PutCommand({ TableName: tableName, Item: { pk: `${sk}#${number}`, sk } }));

async function start(invoke: WorkersOptions["invoke"]): Promise<Workers> {
  const filters = [{ dynamodb: { Keys: { sk: { S: ["RECORD"] } } } }];
  const mapping = { functionName: "consumer", batchSize: 10, reportsItemFailures: true, filters };
  const streamArn = `arn:aws:dynamodb:${region}:000000000000:table/${tableName}/stream/local`;
  const stack = {
    mappings: [{ queueName: "work", functionName: "worker", batchSize: 10, reportsItemFailures: true }],
    streamMappings: [{ ...mapping, streamArn }],
    schedules: [],
    table: { name: tableName, definition: inject("tableDefinition") },
  } as unknown as LocalStack;
  const environment = {
    AWS_REGION: region,
    AWS_ENDPOINT_URL_SQS: queues.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: inject("engineEndpoint"),
  };
  workers = await startWorkers({ stack, environment, placesDirectory: directory, invoke });
  return workers;
}

async function chain(name: string, event: unknown): Promise<unknown> {
  if (name === "consumer") {
    const { Records } = event as DynamoDBStreamEvent;
    await Promise.all(Records.map(({ dynamodb }) => queues.send("work", dynamodb?.Keys?.pk?.S?.split("#")[1] ?? "")));
  } else {
    for (const { body } of (event as SQSEvent).Records) await put("DONE", Number(body));
  }
  return { batchItemFailures: [] };
}

test("what is written goes through stream, queue and worker, and is settled when all that follows is done", async () => {
  let hasBegun = false;
  const { settled } = await start(async (name, event) => {
    // Longer than a consumer that has nothing to do is waited for.
    if (!hasBegun) await pause(1_300);
    hasBegun = true;
    return chain(name, event);
  });
  for (let number = 1; number <= 25; number += 1) await put("RECORD", number);
  for (const _ of ["at work", "idle"]) await settled(patience);
  const { Items = [] } = await database.send(new ScanCommand({ TableName: tableName }));
  expect(Items.filter(({ sk }) => sk === "DONE")).toHaveLength(25);
});

test.each([
  ["worker", "1 messages are still queued."],
  ["consumer", "Still at work: consumer."],
])("if the %s fails, it is said that not all is settled", async (failing, sentence) => {
  const { settled } = await start(async (name, event) => {
    if (name === failing) throw new Error("down");
    return chain(name, event);
  });
  await put("RECORD", 1);
  await expect(settled(1_000)).rejects.toThrow(sentence);
});
