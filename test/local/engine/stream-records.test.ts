import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { BatchWriteItemCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { localCredentials } from "../../../infra/local/aws/local-credentials.ts";
import { type Engine, startEngine } from "../../../infra/local/engine/engine.ts";
import { findEngine } from "../../../infra/local/engine/engine-commands.ts";
import { createTable } from "../../../infra/local/engine/table.ts";
import { openTableStream } from "../../../infra/local/functions/table-stream.ts";

const directory = mkdtempSync(join(tmpdir(), "workforce-trim-"));
const isHere = canRun("dynoxide");
let engine: Engine;
let client: DynamoDBClient;

beforeAll(async () => {
  if (isHere) await open();
});

afterAll(async () => {
  await engine?.close();
  rmSync(directory, { recursive: true });
});

async function open(): Promise<void> {
  engine = await startEngine({ dataDirectory: directory, engine: "dynoxide" });
  client = new DynamoDBClient(config());
}

function config() {
  return { endpoint: engine.endpoint, region: "eu-west-2", credentials: localCredentials };
}

function canRun(name: string): boolean {
  try {
    return findEngine(name, { directory, port: 0 }) !== undefined;
  } catch {
    return false;
  }
}

async function makeTable(name: string, items: number): Promise<void> {
  await createTable(client, inject("tableDefinition"), name);
  await write(name, 0, items);
}

async function write(name: string, from: number, count: number): Promise<void> {
  for (let at = from; at < from + count; at += 25) {
    const numbers = Array.from({ length: Math.min(25, from + count - at) }, (_, index) => at + index);
    const puts = numbers.map((n) => ({ PutRequest: { Item: { pk: { S: `JOB#${n}` }, sk: { S: "JOB" } } } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [name]: puts } }));
  }
}

async function readNumbers(name: string): Promise<number[]> {
  const streams = new DynamoDBStreamsClient(config());
  const { records } = await (await openTableStream(streams, name)).read(undefined);
  streams.destroy();
  return records.map(({ dynamodb }) => Number(dynamodb?.SequenceNumber));
}

test.runIf(isHere)("what everybody has passed is forgotten, of that table alone; what is after it stays", async () => {
  await makeTable("trimmed", 1_200);
  await makeTable("other", 10);
  expect(await engine.upkeep?.trimStream("trimmed", 1_150n)).toBe(1_150);
  expect(await readNumbers("trimmed")).toEqual(Array.from({ length: 50 }, (_, index) => 1_151 + index));
  expect(await readNumbers("other")).toHaveLength(10);
});

test.runIf(isHere)(
  "where all is passed, the newest record stays, so that numbers go on rising over a restart",
  async () => {
    await makeTable("passed", 20);
    expect(await engine.upkeep?.trimStream("passed", 20n)).toBe(19);
    await engine.close();
    await open();
    await write("passed", 20, 2);
    expect(await readNumbers("passed")).toEqual([20, 21, 22]);
  },
);

test.runIf(isHere)("a database that somebody else is writing to is left for the next time", async () => {
  await makeTable("busy", 20);
  const writer = new DatabaseSync(join(directory, "table.sqlite"));
  writer.exec("BEGIN IMMEDIATE");
  expect(await engine.upkeep?.trimStream("busy", 20n)).toBe(0);
  writer.exec("ROLLBACK");
  writer.close();
  expect(await engine.upkeep?.trimStream("busy", 20n)).toBe(19);
});

test.runIf(isHere)("writes that go on meanwhile all succeed", async () => {
  await makeTable("written", 1_500);
  const patient = engine.upkeep?.trimStream("written", 1_500n);
  await Promise.all([write("written", 1_500, 200), patient, write("written", 2_000, 200)]);
  expect(await patient).toBe(1_500 - (await isNewest("written", 1_500)));
});

/** 1 when the trimming met the record while it was the newest. */
async function isNewest(name: string, number: number): Promise<number> {
  return (await readNumbers(name)).includes(number) ? 1 : 0;
}
