import { inParallel } from "../../batches.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import type { Entity } from "../table/entity.ts";
import { epochSeconds } from "../table/expiry.ts";
import { type Key, queryPage } from "../table/table.ts";
import {
  historyItems,
  historyPartition,
  historyPlaces,
  orderOf,
  placedKey,
  placePartitions,
  type RecordedChange,
  type RecordedType,
  type StoredHistory,
  type StoredPlace,
  secondOf,
  shardsPerDay,
  toRecordedChange,
} from "./history-items.ts";

/** Which changes are asked for, the latest first. */
export interface HistoryStart {
  /** At most 100. */
  readonly limit: number;
  /** Goes on from a page: its `after`. */
  readonly after?: string | undefined;
  readonly now: Date;
}

/** Some changes, the latest first. */
export interface HistoryPage {
  readonly changes: readonly RecordedChange[];
  /** Where the next page goes on; undefined after the last. A page may hold fewer than `limit`, or none, and others follow. */
  readonly after: string | undefined;
}

/** Access pattern HI2: the changes of a record; of a user with the ends of their sessions. 0.5 read units for 4 KB, one round trip. */
export async function findRecordHistory(
  type: Exclude<RecordedType, "session">,
  id: number | string,
  start: HistoryStart,
): Promise<HistoryPage> {
  const { items, isMore } = await findBefore(historyItems, historyPartition(type, id), start);
  return toPage(items, items, isMore, start);
}

/** Access pattern HI3: the changes that somebody made: `by` as `LastChange` has it. 0.5 read units for 20 places and for each change, two round trips. */
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

/** So many days are read for a page, at most: a page may be empty, and others follow. */
const mostDays = 16;

/** The time between which changes are asked for. */
export interface HistoryPeriod {
  readonly from: Date;
  readonly to: Date;
}

/**
 * Access pattern HI6: all changes of a period, of up to 16 of its days a page, by merging the shards of each. 4 read units a
 * day, and 0.5 for each change.
 */
export async function findHistoryByTime({ from, to }: HistoryPeriod, start: HistoryStart): Promise<HistoryPage> {
  const first = orderOf(Math.floor(from.getTime() / 1_000));
  const places: StoredPlace[] = [];
  let before = start.after ?? orderOf(epochSeconds(to));
  for (let days = 0; days < mostDays; days += 1) {
    const day = dayOf(before);
    const found = await findInDay(day, { ...start, limit: start.limit - places.length, after: before });
    const within = found.items.filter(({ sk }) => sk >= first);
    places.push(...within);
    if (places.length >= start.limit && found.isMore) return toPage(places, await readPlaced(places), true, start);
    before = orderOf(Date.parse(day) / 1_000);
    if (before <= first) return toPage(places, await readPlaced(places), false, start);
    if (places.length >= start.limit) break;
  }
  return { ...toPage(places, await readPlaced(places), true, start), after: before };
}

/** The places of a day before one, all shards merged. */
async function findInDay(day: string, start: HistoryStart) {
  const found: { items: StoredPlace[]; isMore: boolean }[] = [];
  const shards = Array.from({ length: shardsPerDay }, (_, shard) => shard);
  await inParallel(shards, shardsPerDay, async (shard) => {
    found.push(await findBefore(historyPlaces, placePartitions.day(day, shard), start));
  });
  const merged = found.flatMap(({ items }) => items).toSorted((one, other) => (one.sk < other.sk ? 1 : -1));
  const isMore = merged.length > start.limit || found.some((shard) => shard.isMore);
  return { items: merged.slice(0, start.limit), isMore };
}

async function findPlaced(partition: string, start: HistoryStart): Promise<HistoryPage> {
  const { items, isMore } = await findBefore(historyPlaces, partition, start);
  return toPage(items, await readPlaced(items), isMore, start);
}

/** What a partition has before a place, the latest first. */
async function findBefore<T extends object>(entity: Entity<T>, partition: string, { limit, after }: HistoryStart) {
  const { items, lastKey } = await queryPage({
    KeyConditionExpression: `pk = :pk${after === undefined ? "" : " AND sk < :after"}`,
    ExpressionAttributeValues: { ":pk": partition, ...(after !== undefined && { ":after": after }) },
    ScanIndexForward: false,
    Limit: limit,
  });
  return { items: items.map(entity.decode), isMore: lastKey !== undefined };
}

/** The changes that places name; one that is gone already is left out. */
async function readPlaced(places: readonly StoredPlace[]): Promise<StoredHistory[]> {
  if (places.length > maxBatchReads) throw new RangeError(`At most ${maxBatchReads} changes can be read at once`);
  const items =
    places.length === 0
      ? []
      : await readBatch(
          places.map((place) => placedKey(place)),
          { consistent: false },
        );
  return items.flatMap((item) => (item ? [historyItems.decode(item)] : []));
}

/** The table removes what has expired within two days: until then it is left out. */
function toPage(
  places: readonly Key[],
  items: readonly StoredHistory[],
  isMore: boolean,
  { now }: HistoryStart,
): HistoryPage {
  const live = items.filter(({ expires_at }) => expires_at > epochSeconds(now));
  return { changes: live.map(toRecordedChange), after: isMore ? places.at(-1)?.sk : undefined };
}

/** The last day, in UTC, that something before a place may be of. */
function dayOf(place: string): string {
  const isBound = !place.includes(".");
  return new Date(secondOf(place) * 1_000 - (isBound ? 1 : 0)).toISOString().slice(0, 10);
}
