import { DeleteCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { Service } from "../service/service.ts";

/** Empties every limit and removes every pin, so that a test may ask as often as it needs to. */
export async function forgetLimits({ database, tableName }: Pick<Service, "database" | "tableName">): Promise<void> {
  let startKey: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await database.send(
      new ScanCommand({
        TableName: tableName,
        FilterExpression: "begins_with(pk, :limit) OR begins_with(pk, :pin)",
        ExpressionAttributeValues: { ":limit": "LIMIT#", ":pin": "PIN#" },
        ExclusiveStartKey: startKey,
        ConsistentRead: true,
      }),
    );
    const remove = ({ pk, sk }: Record<string, unknown>) =>
      database.send(new DeleteCommand({ TableName: tableName, Key: { pk, sk } }));
    await Promise.all(Items.map(remove));
    startKey = LastEvaluatedKey;
  } while (startKey);
}
