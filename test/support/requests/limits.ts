import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { allItems } from "../records/items.ts";
import type { Service } from "../service/service.ts";

/** Empties every limit and removes every pin, so that a test may ask as often as it needs to. */
export async function forgetLimits({ database, tableName }: Pick<Service, "database" | "tableName">): Promise<void> {
  const items = await allItems(["LIMIT#", "PIN#"], database);
  const remove = ({ pk, sk }: Record<string, unknown>) =>
    database.send(new DeleteCommand({ TableName: tableName, Key: { pk, sk } }));
  await Promise.all(items.map(remove));
}
