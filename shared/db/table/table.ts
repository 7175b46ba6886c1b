import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  ScanCommand,
  type ScanCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { forbiddenKeys, forbiddenNames, pointerTo } from "../../contract/refusals.ts";
import { callLimits, limitedBy } from "../../run/limits.ts";
import { settings } from "../../run/settings.ts";
import type { Item, Key } from "./item-keys.ts";
import { isTombstone, liveItem } from "./tombstones.ts";

let client: DynamoDBDocumentClient | undefined;

/** The client of this environment, created at first use. It makes items of plain values, and plain values of items. */
export function tableClient(): DynamoDBDocumentClient {
  client ??= createClient();
  return client;
}

function createClient(): DynamoDBDocumentClient {
  const dynamo = new DynamoDBClient(limitedBy(callLimits.table));
  // The middleware copies every call and answer for a logger, and there is no logger.
  dynamo.middlewareStack.remove("loggerMiddleware");
  dynamo.middlewareStack.add(
    (next) => async (call) => {
      requireStorableNames(call.input);
      return next(call);
    },
    { step: "initialize", name: "forbiddenNames" },
  );
  return DynamoDBDocumentClient.from(dynamo, { marshallOptions: { removeUndefinedValues: true } });
}

/** The parts of a command that give attributes aliases. */
interface Aliased {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly TransactItems?: readonly { readonly Update?: Aliased }[];
}

/** The document client would store an object with such a name as another value, or read it as another (D33). */
function requireStorableNames(input: object): void {
  const [fault] = forbiddenKeys(input);
  if (fault) throw new TypeError(`No item has a field at ${pointerTo(fault.path)}`);
  const { TransactItems = [], ...call }: Aliased = input;
  const updates = [call, ...TransactItems.flatMap(({ Update }) => Update ?? [])];
  const names = updates.flatMap(({ ExpressionAttributeNames = {} }) => Object.values(ExpressionAttributeNames));
  const forbidden = names.find((name) => forbiddenNames.includes(name));
  if (forbidden !== undefined) throw new TypeError(`No item has an attribute called ${forbidden}`);
}

/** The input of a command without the table's name. */
export type Plain<Input> = Omit<Input, "TableName">;

/** The input of a command about the table. */
export function inTable<Input extends object>(input: Input): Input & { TableName: string } {
  return { TableName: settings.tableName(), ...input };
}

/** Reads one item; `consistent` costs twice the read units. */
export async function getItem(
  key: Key,
  { consistent = false, withTombstones = false } = {},
): Promise<Item | undefined> {
  const command = new GetCommand(inTable({ Key: key, ConsistentRead: consistent }));
  const { Item: item } = await tableClient().send(command);
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
  return { items: withTombstones ? Items : Items.filter((item) => !isTombstone(item)), lastKey: LastEvaluatedKey };
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
