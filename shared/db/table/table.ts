import {
  DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  ScanCommand,
  type ScanCommandInput,
} from "@aws-sdk/client-dynamodb";
import { callLimits, limitedBy } from "../../call-limits.ts";
import { fromAttributes, type Item, inTable, type Key, type Plain } from "./attributes.ts";
import { isTombstone, liveItem } from "./tombstones.ts";

export type { Item, Key } from "./attributes.ts";

let client: DynamoDBClient | undefined;

/** The client of this environment, created at first use. */
export function tableClient(): DynamoDBClient {
  client ??= createClient();
  return client;
}

function createClient(): DynamoDBClient {
  const dynamo = new DynamoDBClient(limitedBy(callLimits.table));
  // The middleware copies every call and answer for a logger, and there is no logger.
  dynamo.middlewareStack.remove("loggerMiddleware");
  return dynamo;
}

/** Reads one item; `consistent` costs twice the read units. */
export async function getItem(
  key: Key,
  { consistent = false, withTombstones = false } = {},
): Promise<Item | undefined> {
  const command = new GetItemCommand(inTable({ Key: key, ConsistentRead: consistent }));
  const { Item: found } = await tableClient().send(command);
  const item = found && fromAttributes(found);
  return withTombstones ? item : liveItem(item);
}

type Query = Plain<QueryCommandInput>;

/** A page of a read, and the key of its last item to continue from; undefined after the last page. */
export interface ReadPage {
  readonly items: Item[];
  readonly lastKey: Item | undefined;
}

/** Reads one page of a query. */
export async function queryPage(input: Query): Promise<ReadPage> {
  return pageOf(await tableClient().send(new QueryCommand(inTable(input))));
}

/** A page of the whole table. */
interface ScannedPage extends ReadPage {
  /** The number of items that were read, including those that a filter left out. */
  readonly read: number;
}

/** Reads one page of the whole table. */
export async function scanPage(input: Plain<ScanCommandInput>, { withTombstones = false } = {}): Promise<ScannedPage> {
  const page = await tableClient().send(new ScanCommand(inTable(input)));
  return { ...pageOf(page, withTombstones), read: page.ScannedCount ?? 0 };
}

/** Reads the whole table consistently, page by page. 1 read unit for every 4 KB. */
export async function* scanPages(input: Plain<ScanCommandInput>, options = {}): AsyncGenerator<ScannedPage> {
  let lastKey: Item | undefined;
  do {
    const page = await scanPage({ ...input, ConsistentRead: true, ExclusiveStartKey: lastKey }, options);
    yield page;
    lastKey = page.lastKey;
  } while (lastKey);
}

function pageOf(
  { Items = [], LastEvaluatedKey }: Pick<QueryCommandOutput, "Items" | "LastEvaluatedKey">,
  withTombstones = false,
): ReadPage {
  const items = Items.map(fromAttributes);
  const lastKey = LastEvaluatedKey && fromAttributes(LastEvaluatedKey);
  return { items: withTombstones ? items : items.filter((item) => !isTombstone(item)), lastKey };
}

/** The part of the table that a scan reads; the whole table if there is one segment. */
export function segmentOf(segment: number, segments: number): Pick<ScanCommandInput, "Segment" | "TotalSegments"> {
  return segments === 1 ? {} : { Segment: segment, TotalSegments: segments };
}

/** Reads the items of a query, up to `most`. */
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
  let lastKey = input.ExclusiveStartKey;
  do {
    const page = await queryPage({ ...input, ExclusiveStartKey: lastKey });
    yield page.items;
    lastKey = page.lastKey;
  } while (lastKey);
}
