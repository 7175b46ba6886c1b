import { DynamoDBClient, type GlobalSecondaryIndex } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { localCredentials } from "../../../infra/runtime/aws/local-credentials.ts";
import { createTable, type TableDefinition } from "../../../infra/runtime/engine/local-table.ts";

const indexOf = (IndexName: string, NonKeyAttributes: string[]): GlobalSecondaryIndex => ({
  IndexName,
  KeySchema: [{ AttributeName: "group", KeyType: "HASH" }],
  Projection: { ProjectionType: "INCLUDE", NonKeyAttributes },
});

const definition: TableDefinition = {
  AttributeDefinitions: ["pk", "sk", "group"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  GlobalSecondaryIndexes: [indexOf("by-group", ["b", "a"]), indexOf("again", ["c"])],
  StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
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

it("a table is made once, in whatever order its definition is written; one of another definition is refused with the way out", async () => {
  const name = `table-${crypto.randomUUID()}`;
  expect(await createTable(client, definition, name)).toBe(true);
  const reordered = {
    ...definition,
    AttributeDefinitions: definition.AttributeDefinitions?.toReversed(),
    GlobalSecondaryIndexes: [indexOf("again", ["c"]), indexOf("by-group", ["a", "b"])],
  };
  expect(await createTable(client, reordered, name)).toBe(false);
  for (const change of [
    { GlobalSecondaryIndexes: [indexOf("by-group", ["b", "a"])] },
    { GlobalSecondaryIndexes: [indexOf("by-group", ["b", "a"]), indexOf("again", ["d"])] },
    { StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" as const } },
  ]) {
    await expect(createTable(client, { ...definition, ...change }, name)).rejects.toThrow(/--fresh/);
  }
});
