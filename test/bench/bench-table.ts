import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createTable, type TableDefinition } from "../../infra/local/engine/local-table.ts";

/** Creates a stack's table under a name; without its stream, which nobody reads and would only fill the disk. */
export async function createBenchTable(template: Record<string, unknown>, name: string): Promise<TableDefinition> {
  const resources = Object.values(template.Resources as Record<string, { Type: string; Properties: unknown }>);
  const table = resources.find(({ Type }) => Type === "AWS::DynamoDB::GlobalTable");
  const { StreamSpecification: _, ...definition } = table?.Properties as TableDefinition;
  const client = new DynamoDBClient({});
  await createTable(client, definition, name);
  client.destroy();
  return definition;
}
