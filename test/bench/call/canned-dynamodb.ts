import { readFileSync } from "node:fs";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";

interface Canned {
  readonly keys: readonly unknown[];
  readonly rows: readonly unknown[];
  readonly totals: unknown;
}

interface Command {
  readonly input: { readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>> };
}

/**
 * Has every table answer at once with what a file holds, where only the code around the SDK is to be measured: the keys, one
 * page of rows, and the totals.
 */
export function answerFromMemory(): void {
  let canned: Canned | undefined;
  const send = async (command: Command): Promise<object> => {
    canned ??= JSON.parse(readFileSync(String(process.env.CANNED), "utf8")) as Canned;
    if (command instanceof GetCommand) return { Item: canned.totals };
    const isOfKeys = command.input.ExpressionAttributeValues?.[":keys"] !== undefined;
    const Items = isOfKeys ? canned.keys : canned.rows;
    return { Items, Count: Items.length };
  };
  DynamoDBDocumentClient.prototype.send = send as typeof DynamoDBDocumentClient.prototype.send;
}
