import { readFileSync } from "node:fs";
import { type AttributeValue, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";

type Attributes = Record<string, AttributeValue>;

interface PlainQuery {
  readonly input: {
    readonly IndexName?: string;
    readonly ExpressionAttributeValues?: Readonly<Record<string, AttributeValue | string>>;
  };
}

/**
 * The answers of a table: the keys, one page of rows, and the counters by partition of their index, as DynamoDB stores
 * them.
 */
export interface Canned {
  readonly keys: readonly Attributes[];
  readonly rows: readonly Attributes[];
  readonly counters: Readonly<Record<string, readonly Attributes[]>>;
}

/**
 * Has every table answer at once with the contents of a file, if only the code around the SDK is to be measured. An item is made plain by
 * whoever does that otherwise: the document client, or the service's own code.
 */
export function answerFromMemory(): void {
  let canned: Canned | undefined;
  const answer = ({ input: { IndexName, ExpressionAttributeValues: values } }: PlainQuery) => {
    canned ??= JSON.parse(readFileSync(String(process.env.CANNED), "utf8")) as Canned;
    if (IndexName === "by-total") return canned.counters[textOf(values?.[":key"])] ?? [];
    return ":keys" in (values ?? {}) ? canned.keys : canned.rows;
  };
  const send = async (command: PlainQuery) => {
    const items = answer(command);
    return { Items: items, Count: items.length };
  };
  const sendPlain = async (command: PlainQuery) => {
    const items = answer(command).map((each) => unmarshall(each));
    return { Items: items, Count: items.length };
  };
  DynamoDBClient.prototype.send = send as typeof DynamoDBClient.prototype.send;
  DynamoDBDocumentClient.prototype.send = sendPlain as typeof DynamoDBDocumentClient.prototype.send;
}

function textOf(value: AttributeValue | string | undefined): string {
  return typeof value === "string" ? value : (value?.S ?? "");
}
