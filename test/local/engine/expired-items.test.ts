import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { localCredentials } from "../../../infra/local/aws/local-credentials.ts";
import { sweepExpiredItems } from "../../../infra/local/engine/expired-items.ts";
import { createTable } from "../../../infra/local/engine/table.ts";

const name = `expiry-${crypto.randomUUID()}`;
const now = new Date("2026-06-01T12:00:00Z");
const seconds = now.getTime() / 1000;
const table = () => ({ name, definition: inject("tableDefinition") });
let client: DynamoDBClient;
let database: DynamoDBDocumentClient;

beforeAll(async () => {
  client = new DynamoDBClient({
    endpoint: inject("engineEndpoint"),
    region: "eu-west-2",
    credentials: localCredentials,
  });
  database = DynamoDBDocumentClient.from(client);
  // Without the engine's own sweep, where it has one.
  await createTable(client, { ...inject("tableDefinition"), TimeToLiveSpecification: {} }, name);
});

afterAll(() => client.destroy());

const put = (pk: string, expires_at?: unknown) =>
  database.send(
    new PutCommand({ TableName: name, Item: { pk, sk: "S", ...(expires_at !== undefined && { expires_at }) } }),
  );

async function remaining(): Promise<string[]> {
  const { Items = [] } = await database.send(new ScanCommand({ TableName: name }));
  return Items.map(({ pk }) => pk).sort();
}

test("items go when their second has passed, over all pages; those that expire later or never stay", async () => {
  await Promise.all([put("now", seconds), put("later", seconds + 60), put("never"), put("no-moment", "soon")]);
  for (let at = 0; at < 550; at += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => put(`past-${at + index}`, seconds - 1 - index)));
  }
  expect(await sweepExpiredItems(client, table(), now)).toBe(550);
  expect(await remaining()).toEqual(["later", "never", "no-moment", "now"]);
  expect(await sweepExpiredItems(client, table(), now)).toBe(0);
});

test("an item that was given more time after the sweep saw it is kept", async () => {
  await put("renewed", seconds - 5);
  const send = client.send.bind(client) as (command: { constructor: { name: string } }) => Promise<unknown>;
  const late = Object.create(client, {
    send: {
      value: async (command: { constructor: { name: string } }) => {
        if (command.constructor.name === "DeleteItemCommand") await put("renewed", seconds + 60);
        return send(command);
      },
    },
  }) as DynamoDBClient;
  expect(await sweepExpiredItems(late, table(), now)).toBe(0);
  const { Item } = await database.send(new GetCommand({ TableName: name, Key: { pk: "renewed", sk: "S" } }));
  expect(Item).toMatchObject({ expires_at: seconds + 60 });
});

test("a table whose items never expire is not looked through", async () => {
  const nothing = new DynamoDBClient({
    endpoint: "http://127.0.0.1:1",
    region: "eu-west-2",
    credentials: localCredentials,
  });
  const definition = { ...inject("tableDefinition"), TimeToLiveSpecification: undefined };
  expect(await sweepExpiredItems(nothing, { name, definition }, now)).toBe(0);
  nothing.destroy();
});
