import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { localCredentials } from "../../../infra/local/aws/local-credentials.ts";
import { createTable, type TableDefinition } from "../../../infra/local/engine/local-table.ts";

const definition: TableDefinition = {
  AttributeDefinitions: ["pk", "sk", "group"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: "by-group",
      KeySchema: [{ AttributeName: "group", KeyType: "HASH" }],
      Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["b", "a"] },
    },
  ],
  StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
  TimeToLiveSpecification: { AttributeName: "expires_at", Enabled: true },
};

let client: DynamoDBClient;

beforeAll(() => {
  client = new DynamoDBClient({
    endpoint: inject("engineEndpoint"),
    region: "eu-west-2",
    credentials: localCredentials,
  });
});

afterAll(() => client.destroy());

it("a table of another definition is refused with the way out", async () => {
  const name = `table-${crypto.randomUUID()}`;
  expect(await createTable(client, definition, name)).toBe(true);
  expect(await createTable(client, definition, name)).toBe(false);
  const changed = { ...definition, GlobalSecondaryIndexes: [] };
  await expect(createTable(client, changed, name)).rejects.toThrow(/--fresh/);
});
