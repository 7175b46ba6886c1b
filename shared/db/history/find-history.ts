import { hash } from "node:crypto";
import { chunksOf } from "../../batches.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import { epochSeconds } from "../table/expiry.ts";
import { mergeReads, type Source } from "../table/merged-reads.ts";
import { type Item, queryItems } from "../table/table.ts";
import {
  dayOfPlace,
  dayOfShard,
  type HistoryEntry,
  historyItems,
  historyPartition,
  historyPlaces,
  placedKey,
  placeOrder,
  placePartitions,
  type RecordedType,
  type StoredHistory,
  type StoredPlace,
  toRecordedChange,
} from "./history-items.ts";

/** Which changes are asked for, the latest first. */
export interface HistoryStart {
  readonly limit: number;
  /** Goes on from a page, its `after`, or from one of its changes, its `place`. */
  readonly after?: string | undefined;
  readonly now: Date;
}

/** A change, its place in the list that it was found in, and a name that no other change has. */
export interface FoundEntry extends HistoryEntry {
  readonly place: string;
  readonly name: string;
}

/** Some changes, the latest first. */
export interface HistoryPage {
  readonly changes: readonly FoundEntry[];
  /** Where the next page goes on; undefined after the last. A page may hold fewer than `limit`, or none, and others follow. */
  readonly after: string | undefined;
}

/** 132 bits: no two changes have one name. */
const nameLetters = 22;

/** Access pattern HI2: the changes of a record; of a user with the ends of their sessions. 0.5 read units for 4 KB, one round trip. */
export async function findRecordHistory(
  type: Exclude<RecordedType, "session">,
  id: number | string,
  { limit, after, now }: HistoryStart,
): Promise<HistoryPage> {
  const items = (await readBelow(historyPartition(type, id), after, limit + 1)).map(historyItems.decode);
  const page = items.slice(0, limit);
  const changes = liveOf(page, now).map((item) => toFound(item, item.sk));
  return { changes, after: items.length > limit ? page.at(-1)?.sk : undefined };
}

/**
 * Access pattern HI3: the changes that somebody made: `by` as `Change` has it. 0.5 read units for 30 places and for each change,
 * two round trips.
 */
export function findActorHistory(by: string, start: HistoryStart): Promise<HistoryPage> {
  return findPlaced(placePartitions.actor(by), start);
}

/** Access pattern HI4: the changes of a company's timesheets, invoices and jobs. Costs as HI3. */
export function findCompanyHistory(companyId: number, start: HistoryStart): Promise<HistoryPage> {
  return findPlaced(placePartitions.company(companyId), start);
}

/** Access pattern HI5: what one change did to each of its records. Costs as HI3. */
export function findChangeHistory(changeId: string, start: HistoryStart): Promise<HistoryPage> {
  return findPlaced(placePartitions.change(changeId), start);
}

/** Shards that a page looks at, of all the days that it looks at. */
const mostShards = 64;

/**
 * Access pattern HI6: all changes by time. Only shards that hold any are read: those of the latest day first, and where that has too
 * few, of up to 63 older ones. 0.5 read units a shard, at most 64 for a page, and 0.5 for each change; up to six round trips.
 */
export async function findHistory(start: HistoryStart): Promise<HistoryPage> {
  const { limit, after } = start;
  const latest = after && `${dayOfPlace(after)}~`;
  const found = await readPlaces(placePartitions.usedShards, latest, mostShards);
  const shards = found.length < mostShards ? found : withoutLastDay(found);
  const ofLatest = shards.filter((shard) => dayOfShard(shard) === (shards[0] && dayOfShard(shards[0])));
  const places = await mergeShards(ofLatest, after, limit + 1);
  const missing = limit + 1 - places.length;
  if (missing > 0) places.push(...(await mergeShards(shards.slice(ofLatest.length), after, missing)));
  const isMore = places.length > limit || shards.length < found.length;
  return toPage(places.slice(0, limit), isMore, start);
}

/** The last day may have shards that were not read. */
function withoutLastDay(shards: readonly StoredPlace[]): StoredPlace[] {
  const last = shards.at(-1);
  return shards.filter((shard) => last && dayOfShard(shard) !== dayOfShard(last));
}

function mergeShards(shards: readonly StoredPlace[], below: string | undefined, limit: number): Promise<StoredPlace[]> {
  const sources = shards.map((shard): Source<StoredPlace> => {
    const partition = placePartitions.usedShard(shard);
    return { read: (from, most) => readPlaces(partition, from, most) };
  });
  return mergeReads(sources, { keyOf: ({ sk }) => sk, below, limit });
}

async function findPlaced(partition: string, start: HistoryStart): Promise<HistoryPage> {
  const places = await readPlaces(partition, start.after, start.limit + 1);
  return toPage(places.slice(0, start.limit), places.length > start.limit, start);
}

async function readPlaces(partition: string, below: string | undefined, limit: number): Promise<StoredPlace[]> {
  return (await readBelow(partition, below, limit)).map(historyPlaces.decode);
}

/** What a partition has below a place, the latest first: fewer than asked for only where no more follow. */
function readBelow(partition: string, below: string | undefined, limit: number): Promise<Item[]> {
  const input = {
    KeyConditionExpression: `pk = :pk${below === undefined ? "" : " AND sk < :below"}`,
    ExpressionAttributeValues: { ":pk": partition, ...(below !== undefined && { ":below": below }) },
    ScanIndexForward: false,
  };
  return queryItems(input, limit);
}

/** The changes that places name; one that is gone already is left out. */
async function toPage(places: readonly StoredPlace[], isMore: boolean, { now }: HistoryStart): Promise<HistoryPage> {
  const chunks = chunksOf(places.map(placedKey), maxBatchReads);
  const read = await Promise.all(chunks.map((chunk) => readBatch(chunk, { consistent: false })));
  const items = read.flat().flatMap((item) => (item ? [historyItems.decode(item)] : []));
  const changes = liveOf(items, now).map((item) => toFound(item, placeOrder(item)));
  return { changes, after: isMore ? places.at(-1)?.sk : undefined };
}

/** The table removes what has expired within two days: until then it is left out. */
function liveOf(items: readonly StoredHistory[], now: Date): StoredHistory[] {
  return items.filter(({ expires_at }) => expires_at > epochSeconds(now));
}

function toFound(item: StoredHistory, place: string): FoundEntry {
  const name = hash("sha256", placeOrder(item), "base64url").slice(0, nameLetters);
  return { ...toRecordedChange(item), place, name };
}
