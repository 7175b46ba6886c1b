import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  type TableDescription,
} from "@aws-sdk/client-dynamodb";

/** The properties of an `AWS::DynamoDB::GlobalTable` resource that define a local table. */
export type TableDefinition = Pick<
  CreateTableCommandInput,
  "AttributeDefinitions" | "KeySchema" | "GlobalSecondaryIndexes" | "StreamSpecification"
>;

/**
 * Creates the stack's table with its indexes and stream, unless it exists. Returns true if it created it. A local engine's
 * table is ready at once, and keeps expired items. Throws one sentence if a table with another definition exists.
 */
export async function createTable(client: DynamoDBClient, definition: TableDefinition, name: string): Promise<boolean> {
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, StreamSpecification: stream } = definition;
  const creation = new CreateTableCommand({
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions,
    KeySchema,
    GlobalSecondaryIndexes,
    StreamSpecification: stream && { ...stream, StreamEnabled: true },
  });
  try {
    await client.send(creation);
    return true;
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  const { Table = {} } = await client.send(new DescribeTableCommand({ TableName: name }));
  if (shape(Table) === shape(definition)) return false;
  throw new Error(
    `The local table ${name} was made from another definition of its keys and indexes: start with --fresh to create it again.`,
  );
}

/** A text that is equal for two tables exactly if their keys, indexes and stream are equal. */
function shape(table: TableDefinition | TableDescription): string {
  const keys = (schema: TableDefinition["KeySchema"]) =>
    schema?.map((key) => `${key.KeyType}:${key.AttributeName}`).join() ?? "";
  const attributes = table.AttributeDefinitions?.map((each) => `${each.AttributeName}:${each.AttributeType}`).sort();
  const indexes = (table.GlobalSecondaryIndexes ?? []).map((index) => {
    const projected = [...(index.Projection?.NonKeyAttributes ?? [])].sort().join();
    return `${index.IndexName} ${keys(index.KeySchema)} ${index.Projection?.ProjectionType} ${projected}`;
  });
  return JSON.stringify([keys(table.KeySchema), attributes, indexes.sort(), table.StreamSpecification?.StreamViewType]);
}
