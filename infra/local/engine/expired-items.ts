import { setTimeout as pause } from "node:timers/promises";
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  ScanCommand,
} from "@aws-sdk/client-dynamodb";
import type { TableDefinition } from "./table.ts";

/** A table whose items expire. */
export interface ExpiringTable {
  name: string;
  definition: Pick<TableDefinition, "KeySchema" | "TimeToLiveSpecification">;
}

type Item = Record<string, AttributeValue>;

const itemsInPage = 500;
// Others wait for the engine while it looks through a page.
const pauseMilliseconds = 20;

/**
 * Removes the items of a table that have expired, as DynamoDB's time to live does; each only if it still is expired at
 * that moment. Gives how many it removed; ends early when it is told to.
 */
export async function sweepExpiredItems(
  client: DynamoDBClient,
  { name, definition }: ExpiringTable,
  now: Date,
  stopping?: AbortSignal,
): Promise<number> {
  const { AttributeName, Enabled } = definition.TimeToLiveSpecification ?? {};
  if (!AttributeName || !Enabled) return 0;
  const keyNames = (definition.KeySchema ?? []).flatMap((key) => key.AttributeName ?? []);
  const expired = {
    expression: "#expiry < :now",
    names: { "#expiry": AttributeName },
    values: { ":now": { N: String(Math.floor(now.getTime() / 1000)) } },
  };
  let removed = 0;
  let ExclusiveStartKey: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName: name,
        Limit: itemsInPage,
        ExclusiveStartKey,
        FilterExpression: expired.expression,
        ProjectionExpression: keyNames.map((_, index) => `#key${index}`).join(),
        ExpressionAttributeNames: {
          ...expired.names,
          ...Object.fromEntries(keyNames.map((key, i) => [`#key${i}`, key])),
        },
        ExpressionAttributeValues: expired.values,
      }),
    );
    for (const Key of Items) if (await remove(client, name, Key, expired)) removed += 1;
    ExclusiveStartKey = LastEvaluatedKey;
    if (ExclusiveStartKey) await pause(pauseMilliseconds);
  } while (ExclusiveStartKey && !stopping?.aborted);
  return removed;
}

async function remove(
  client: DynamoDBClient,
  TableName: string,
  Key: Item,
  { expression, names, values }: { expression: string; names: Record<string, string>; values: Item },
): Promise<boolean> {
  try {
    const condition = { ConditionExpression: expression, ExpressionAttributeNames: names };
    await client.send(new DeleteItemCommand({ TableName, Key, ...condition, ExpressionAttributeValues: values }));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
