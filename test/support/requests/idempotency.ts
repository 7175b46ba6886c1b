import { paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Item } from "../../../shared/db/table/table.ts";
import { settings } from "../../../shared/settings.ts";
import { documentClient } from "../records/document-client.ts";

/** The stored changes of a user. */
export async function changesOf(userId: number): Promise<Item[]> {
  const scan = {
    TableName: settings.tableName(),
    ConsistentRead: true,
    FilterExpression: "begins_with(pk, :prefix) AND user_id = :user",
    ExpressionAttributeValues: { ":prefix": "CHANGE#", ":user": userId },
  };
  const items: Item[] = [];
  for await (const page of paginateScan({ client: documentClient() }, scan)) items.push(...(page.Items ?? []));
  return items;
}
