import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  ScanCommand,
  type ScanCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { forbiddenKeys, forbiddenNames, pointerTo } from "../contract/refusals.ts";
import { chunksOf, inParallel } from "../run/batches.ts";
import { callLimits, limitedBy } from "../run/call-limits.ts";
import type { Change } from "../run/change.ts";
import { settings } from "../run/settings.ts";
import { paces, retry } from "./retry.ts";

/** Primary key of an item. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An item as stored; each entity module knows the attributes of its own. */
export type Item = Record<string, unknown>;

/** Records that have a partition of their own. */
export type RecordKind = "COMPANY" | "USER" | "TIMESHEET" | "INVOICE" | "JOB";

/** One text for each key. */
export function nameOf({ pk, sk }: Key | Item): string {
  return JSON.stringify([pk, sk]);
}

/** A key for the logs. A login in it is left out. */
export function publicNameOf({ pk, sk }: Key | Item): string {
  return [pk, sk].map((part) => String(part).replace(/^LOGIN#.*/s, "LOGIN#?")).join(" ");
}

/** The key of an item. */
export function keyOf({ pk, sk }: Key | Item): Key {
  return { pk: String(pk), sk: String(sk) };
}

/** An id as text that sorts like the number. */
export function padId(id: number): string {
  return String(id).padStart(16, "0");
}

/** Key of a company, user, timesheet, invoice or job. */
export function recordKey(kind: RecordKind, id: number): Key {
  return { pk: `${kind}#${id}`, sk: kind };
}

/** Attributes of an item in the sparse index `by-mark`: the index key, and the order under that key. */
export interface Mark {
  readonly mark_key: string;
  readonly mark_order: string;
}

/** Removes an item from that index, or keeps it out. */
export const noMark = { mark_key: undefined, mark_order: undefined } as const;

/** A time in the format of the table's time to live: whole seconds since 1970, rounded up. */
export function epochSeconds(moment: Date): number {
  return Math.ceil(moment.getTime() / 1000);
}

/** The time a number of days later, in the format of the table's time to live. */
export function epochSecondsAfter(moment: Date, days: number): number {
  return epochSeconds(moment) + days * 24 * 60 * 60;
}

/** Limits a read to paths such as `revision` or `record.state`. That saves transfer and parsing, but no read units. */
export function projectionOf(paths: readonly string[]) {
  const names = new Set(paths.flatMap((path) => path.split(".")));
  return {
    ProjectionExpression: paths.map((path) => path.replaceAll(/\w+/g, "#$&")).join(", "),
    ExpressionAttributeNames: Object.fromEntries([...names].map((name) => [`#${name}`, name])),
  };
}

/** The last write of an item, as the item describes it. */
export interface StampedChange extends Partial<Change> {
  /** True where that write made the item. */
  readonly creates?: true;
}

/** Says who wrote an item last: every write that raises its revision sets this, or removes it. */
export interface ChangeStamp {
  readonly change?: StampedChange | undefined;
}

/** The sort keys of the records whose changes are kept in the history. */
const recordedKinds = new Set(["TIMESHEET", "INVOICE", "JOB", "USER"]);

/** True for the key of a record whose changes are kept in the history. */
function isRecorded({ sk }: Key | Item): boolean {
  return recordedKinds.has(String(sk));
}

/** The stamp of a put: for a recorded item the whole change, for others the request, which log lines need. */
export function stampOf(key: Key | Item, change: Change, { creates = false } = {}): ChangeStamp {
  if (isRecorded(key)) return { change: { ...change, ...(creates && { creates }) } };
  return { change: change.request === undefined ? undefined : { request: change.request } };
}

/** The whole change that an item was written by last; undefined if it does not say so. */
export function lastChangeOf(item: Item | undefined): (Change & StampedChange) | undefined {
  const { change } = (item ?? {}) as ChangeStamp;
  return isWhole(change) ? change : undefined;
}

/** True for what says of a change all that a history keeps. */
export function isWhole(change: StampedChange | undefined): change is Change & StampedChange {
  return [change?.id, change?.by, change?.operation, change?.at].every((each) => typeof each === "string");
}

/** The item that stays in the place of a removed record. Reads leave it out unless they ask for it. */
export interface Tombstone {
  readonly revision: number;
  /** The version at which the record was removed (D35). */
  readonly version?: number | undefined;
  /** The moment of the removal, ISO 8601 in UTC. An import may have begun hours before. */
  readonly removed_at: string;
  /** The change that removed the record, if it has a history. */
  readonly change?: StampedChange | undefined;
  /** That of an erased person does not expire. */
  readonly expires_at?: number | undefined;
}

/** The attribute that only tombstones have. Each read of some attributes names it. */
export const tombstoneMark = "removed_at";

/** True for a tombstone. */
export function isTombstone(item: object): item is Tombstone {
  return tombstoneMark in item;
}

/** The item, unless it is a tombstone. */
export function liveItem(item: Item | undefined): Item | undefined {
  return item && !isTombstone(item) ? item : undefined;
}

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
interface ReadPage {
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

type Requests = NonNullable<BatchWriteCommandInput["RequestItems"]>[string];

/** Most items that one call writes. */
const maxBatchWrites = 25;
/** A hundred items at once: what one call of the stream brings. */
const callsAtOnce = 4;

/**
 * Puts items without conditions, each by itself. 1 write unit a KB and item, half the price of a transaction. If the
 * table is under load and leaves items unwritten, the call asks again with jitter for up to a second, then refuses with
 * `busy`.
 */
export async function putBatch(items: readonly Item[]): Promise<void> {
  await inParallel(chunksOf(items, maxBatchWrites), callsAtOnce, putChunk);
}

async function putChunk(items: readonly Item[]): Promise<void> {
  const table = settings.tableName();
  let open: Requests = items.map((Item) => ({ PutRequest: { Item } }));
  await retry(paces.conflict, async () => {
    const command = new BatchWriteCommand({ RequestItems: { [table]: open } });
    const { UnprocessedItems } = await tableClient().send(command);
    open = UnprocessedItems?.[table] ?? [];
    return open.length === 0 || undefined;
  });
}
