import { hash } from "node:crypto";
import { chunksOf } from "../../batches.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import { epochSeconds } from "../table/expiry.ts";
import { keyOf } from "../table/keys.ts";
import { type Item, queryItems } from "../table/table.ts";
import {
  historyPartition,
  placedKey,
  placeOrder,
  placePartitions,
  type RecordedChange,
  type RecordedType,
  toRecordedChange,
} from "./history-items.ts";
import { mergeReads, type Source } from "./merged-reads.ts";

/** Which changes are asked for, the latest first. */
export interface HistoryStart {
  readonly limit: number;
  /** Goes on from a page, its `after`, or from one of its changes, its `place`. */
  readonly after?: string | undefined;
  readonly now: Date;
}

/** A change, its place in the list that it was found in, and a name that no other change has. */
export interface FoundChange extends RecordedChange {
  readonly place: string;
  readonly name: string;
}

/** Some changes, the latest first. */
export interface HistoryPage {
  readonly changes: readonly FoundChange[];
  /** Where the next page goes on; undefined after the last. A page may hold fewer than `limit`, or none, and others follow. */
  readonly after: string | undefined;
}

/** Access pattern HI2: the changes of a record; of a user with the ends of their sessions. 0.5 read units for 4 KB, one round trip. */
export async function findRecordHistory(
  type: Exclude<RecordedType, "session">,
  id: number | string,
  { limit, after, now }: HistoryStart,
): Promise<HistoryPage> {
  const items = await readBelow(historyPartition(type, id), after, limit + 1);
  const page = items.slice(0, limit);
  const last = page.at(-1);
  const changes = liveOf(page, now).map((item) => toFound(item, String(item.sk)));
  return { changes, after: items.length > limit && last ? String(last.sk) : undefined };
}

/**
 * Access pattern HI3: the changes that somebody made: `by` as `LastChange` has it. 0.5 read units for 30 places and for each change,
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

/** 132 bits: no two changes have one name. */
const nameLetters = 22;
const dayLength = "yyyy-mm-dd".length;

/** Marks that a page looks at: a day has one for each of its shards that hold anything. */
const mostMarks = 64;

/**
 * Access pattern HI6: all changes by time. Only the shards of days that hold any are read, those of the latest day first and up to
 * 63 older ones when it has too few: 0.5 read units a shard, at most 32 for a page, and 0.5 for each change; up to six round trips.
 */
export async function findHistory(start: HistoryStart): Promise<HistoryPage> {
  const { limit, after } = start;
  const latest = after && `${dayOf(after)}~`;
  const found = (await readBelow(placePartitions.marks, latest, mostMarks)).map(({ sk }) => String(sk));
  const marks = found.length < mostMarks ? found : withoutLastDay(found);
  const [day = ""] = marks.map((mark) => mark.slice(0, dayLength));
  const ofDay = marks.filter((mark) => mark.startsWith(day));
  const places = await mergeShards(ofDay, after, limit + 1);
  const missing = limit + 1 - places.length;
  if (missing > 0) places.push(...(await mergeShards(marks.slice(ofDay.length), after, missing)));
  const isMore = places.length > limit || (marks.length < found.length && places.length > 0);
  return toPage(places.slice(0, limit), isMore, start);
}

/** Of the last day there may be shards that were not read. */
function withoutLastDay(marks: readonly string[]): string[] {
  const last = marks.at(-1)?.slice(0, dayLength) ?? "";
  return marks.filter((mark) => !mark.startsWith(last));
}

function mergeShards(marks: readonly string[], below: string | undefined, limit: number): Promise<Item[]> {
  const sources = marks.map((mark): Source<Item> => {
    const [day = "", shard] = mark.split("#");
    return { read: (from, most) => readBelow(placePartitions.day(day, Number(shard)), from, most) };
  });
  return mergeReads(sources, { keyOf: ({ sk }) => String(sk), below, limit });
}

async function findPlaced(partition: string, start: HistoryStart): Promise<HistoryPage> {
  const places = await readBelow(partition, start.after, start.limit + 1);
  return toPage(places.slice(0, start.limit), places.length > start.limit, start);
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
async function toPage(places: readonly Item[], isMore: boolean, { now }: HistoryStart): Promise<HistoryPage> {
  const keys = places.map((place) => placedKey(keyOf(place)));
  const chunks = chunksOf(keys, maxBatchReads).map((chunk) => readBatch(chunk, { consistent: false }));
  const items = (await Promise.all(chunks)).flatMap((chunk) => chunk.flatMap((item) => (item ? [item] : [])));
  const changes = liveOf(items, now).map((item) => toFound(item, placeOrder(keyOf(item))));
  const last = places.at(-1);
  return { changes, after: isMore && last ? String(last.sk) : undefined };
}

/** The table removes what has expired within two days: until then it is left out. */
function liveOf(items: readonly Item[], now: Date): Item[] {
  return items.filter(({ expires_at }) => Number(expires_at) > epochSeconds(now));
}

function toFound(item: Item, place: string): FoundChange {
  const name = hash("sha256", placeOrder(keyOf(item)), "base64url").slice(0, nameLetters);
  return { ...toRecordedChange(item), place, name };
}

/** The day of a place, in UTC. */
function dayOf(place: string): string {
  return new Date(Number(place.slice(0, 10)) * 1_000).toISOString().slice(0, dayLength);
}
