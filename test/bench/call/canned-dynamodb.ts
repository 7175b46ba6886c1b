import { readFileSync } from "node:fs";
import { type AttributeValue, DynamoDBClient, GetItemCommand, type QueryCommand } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";

type Attributes = Record<string, AttributeValue>;

/** What a table answers with: the keys, one page of rows, and the totals, as DynamoDB has them. */
export interface Canned {
  readonly keys: readonly Attributes[];
  readonly rows: readonly Attributes[];
  readonly totals: Attributes;
}

/**
 * Has every table answer at once with the contents of a file, if only the code around the SDK is to be measured. An item is made plain by
 * whoever does that otherwise: the document client, or the service's own code.
 */
export function answerFromMemory(): void {
  let canned: Canned | undefined;
  const answer = ({ input }: QueryCommand | GetItemCommand, isGet: boolean) => {
    canned ??= JSON.parse(readFileSync(String(process.env.CANNED), "utf8")) as Canned;
    if (isGet) return [canned.totals];
    const isOfKeys = "KeyConditionExpression" in input && ":keys" in (input.ExpressionAttributeValues ?? {});
    return isOfKeys ? canned.keys : canned.rows;
  };
  const send = async (command: QueryCommand | GetItemCommand) => {
    const isGet = command instanceof GetItemCommand;
    const items = answer(command, isGet);
    return isGet ? { Item: items[0] } : { Items: items, Count: items.length };
  };
  const sendPlain = async (command: QueryCommand | GetItemCommand) => {
    const isGet = command instanceof GetCommand;
    const items = answer(command, isGet).map((each) => unmarshall(each));
    return isGet ? { Item: items[0] } : { Items: items, Count: items.length };
  };
  DynamoDBClient.prototype.send = send as typeof DynamoDBClient.prototype.send;
  DynamoDBDocumentClient.prototype.send = sendPlain as typeof DynamoDBDocumentClient.prototype.send;
}
