import { ConditionalCheckFailedException, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  type DeleteCommandInput,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  QueryCommand,
  type QueryCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { settings } from "../../settings.ts";
import { retryConflicts } from "./conflicts.ts";

/** Primary key of an item. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An item as stored; each entity module knows the attributes of its own. */
export type Item = Record<string, unknown>;

let client: DynamoDBDocumentClient | undefined;

/** The client of this environment, made when first asked for. */
export function documentClient(): DynamoDBDocumentClient {
  client ??= DynamoDBDocumentClient.from(new DynamoDBClient({}), { marshallOptions: { removeUndefinedValues: true } });
  return client;
}

/** Reads one item; `consistent` costs twice the read units. */
export async function getItem(key: Key, { consistent = false } = {}): Promise<Item | undefined> {
  const { Item: item } = await documentClient().send(
    new GetCommand({ TableName: settings.tableName(), Key: { ...key }, ConsistentRead: consistent }),
  );
  return item;
}

/** Reads one page of a query. */
export async function queryPage(input: Omit<QueryCommandInput, "TableName">): Promise<{
  items: Item[];
  count: number;
  lastKey: Item | undefined;
}> {
  const page = await documentClient().send(new QueryCommand({ TableName: settings.tableName(), ...input }));
  return { items: page.Items ?? [], count: page.Count ?? 0, lastKey: page.LastEvaluatedKey };
}

/** Reads a query to its end, page by page. */
export async function* queryPages(input: Omit<QueryCommandInput, "TableName">): AsyncGenerator<Item[]> {
  let lastKey: Item | undefined;
  do {
    const page = await queryPage({ ...input, ExclusiveStartKey: lastKey });
    yield page.items;
    lastKey = page.lastKey;
  } while (lastKey);
}

/** Writes an item when its condition holds; false when it does not. */
export async function putIf(input: Omit<PutCommandInput, "TableName">): Promise<boolean> {
  const command = new PutCommand({ TableName: settings.tableName(), ...input });
  return (await unlessConditionFails(() => documentClient().send(command))) !== undefined;
}

/** Deletes an item, if there is one. */
export async function deleteItemAt(key: Key): Promise<void> {
  const command = new DeleteCommand({ TableName: settings.tableName(), Key: { ...key } });
  await retryConflicts(() => documentClient().send(command));
}

/** Deletes an item when its condition holds; false when it does not. */
export async function deleteIf(input: Omit<DeleteCommandInput, "TableName">): Promise<boolean> {
  const command = new DeleteCommand({ TableName: settings.tableName(), ...input });
  return (await unlessConditionFails(() => documentClient().send(command))) !== undefined;
}

/** Updates an item when its condition holds and gives the whole new item; undefined when it does not. */
export async function updateIf(input: Omit<UpdateCommandInput, "TableName">): Promise<Item | undefined> {
  const command = new UpdateCommand({ TableName: settings.tableName(), ReturnValues: "ALL_NEW", ...input });
  return (await unlessConditionFails(() => documentClient().send(command)))?.Attributes;
}

async function unlessConditionFails<T>(send: () => Promise<T>): Promise<T | undefined> {
  try {
    return await retryConflicts(send);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
