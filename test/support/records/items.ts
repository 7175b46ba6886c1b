import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { keyOf, nameOf } from "../../../shared/db/table/item-keys.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import { settings } from "../../../shared/settings.ts";
import { documentClient } from "./document-client.ts";

/** Every item of the table, by the name of its key; without the names of their last writes, which are random. */
export async function scanItems(): Promise<Map<string, Item>> {
  const found = new Map<string, Item>();
  let ExclusiveStartKey: Item | undefined;
  do {
    const command = new ScanCommand({ TableName: settings.tableName(), ConsistentRead: true, ExclusiveStartKey });
    const { Items = [], LastEvaluatedKey } = await documentClient().send(command);
    for (const item of Items) found.set(nameOf(keyOf(item)), contentOf(item));
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return found;
}

/** What an item holds: not the name of its last write. */
export function contentOf({ write_id: _, ...content }: Item): Item {
  return content;
}
