import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { callLimits, limitedBy } from "../../call-limits.ts";
import { settings } from "../../settings.ts";

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
  client ??= createClient();
  return client;
}

function createClient(): DynamoDBDocumentClient {
  const dynamo = new DynamoDBClient(limitedBy(callLimits.table));
  // It copies every call and answer for a logger, and there is none.
  dynamo.middlewareStack.remove("loggerMiddleware");
  return DynamoDBDocumentClient.from(dynamo, { marshallOptions: { removeUndefinedValues: true } });
}

/** Reads one item; `consistent` costs twice the read units. */
export async function getItem(key: Key, { consistent = false } = {}): Promise<Item | undefined> {
  const { Item: item } = await documentClient().send(
    new GetCommand({ TableName: settings.tableName(), Key: { ...key }, ConsistentRead: consistent }),
  );
  return item;
}

type Query = Omit<QueryCommandInput, "TableName">;

/** A page of what is read, and the key to go on from; undefined after the last. */
export interface ReadPage {
  readonly items: Item[];
  readonly lastKey: Item | undefined;
}

/** Reads one page of a query. */
export async function queryPage(input: Query): Promise<ReadPage> {
  const page = await documentClient().send(new QueryCommand({ TableName: settings.tableName(), ...input }));
  return { items: page.Items ?? [], lastKey: page.LastEvaluatedKey };
}

/** A page of the whole table. */
interface ScannedPage extends ReadPage {
  /** How many items were read, those that a filter left out among them. */
  readonly read: number;
}

/** Reads one page of the whole table. */
export async function scanPage(input: Omit<ScanCommandInput, "TableName">): Promise<ScannedPage> {
  const page = await documentClient().send(new ScanCommand({ TableName: settings.tableName(), ...input }));
  return { items: page.Items ?? [], lastKey: page.LastEvaluatedKey, read: page.ScannedCount ?? 0 };
}

/** The part of the table that a scan reads; all of it where there is but one. */
export function segmentOf(segment: number, segments: number): Pick<ScanCommandInput, "Segment" | "TotalSegments"> {
  return segments === 1 ? {} : { Segment: segment, TotalSegments: segments };
}

/** Reads the items of a query, at most so many of them. */
export async function queryItems(input: Query, most?: number): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of queryPages({ ...input, Limit: most })) {
    items.push(...page);
    if (most !== undefined && items.length >= most) break;
  }
  return items.slice(0, most);
}

/** Reads a query to its end, page by page. */
export async function* queryPages(input: Query): AsyncGenerator<Item[]> {
  let lastKey: Item | undefined;
  do {
    const page = await queryPage({ ...input, ExclusiveStartKey: lastKey });
    yield page.items;
    lastKey = page.lastKey;
  } while (lastKey);
}
