import type { Change } from "../../domain/records/change.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import type { Item, Key } from "../table/table.ts";

/** What the history is kept of. A session's end is part of its user's; an import of new records is one change of its own. */
export type RecordedType = "timesheet" | "invoice" | "job" | "user" | "session" | "import";

/** What became of it. */
export type RecordedDoing = "created" | "updated" | "removed" | "ended" | "imported";

/** Values by field, as the interface names them; `CutValue` where one is too long to be kept. An undefined one is none. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * What is kept of a long value: the beginning of its JSON, and the hash of all of it (SHA-256, 22 letters of base64url). Where so
 * many fields change that even this is too much, that it was there.
 */
export interface CutValue {
  readonly cut: string;
  readonly sha256?: string;
}

/** A change of the history. */
export interface HistoryEntry {
  readonly type: RecordedType;
  /** Of the record; of a session its family, of an import the id of its run. */
  readonly id: number | string;
  readonly did: RecordedDoing;
  /** Who made it, when and in which change; absent for a write that does not say it. */
  readonly change?: Change | undefined;
  /** When it was made, ISO 8601: the change's moment, or to the second that of the stream. */
  readonly at: string;
  /** The company whose operators may see it; absent where only admins may: users, sessions, imports, a way from one company to another. */
  readonly company_id?: number | undefined;
  /** Of a session: whose it was. */
  readonly user_id?: number | undefined;
  /** The revision that it led to, of a removal the one after the last. */
  readonly revision?: number | undefined;
  /** The fields that differ, as they were: all of them where the record was removed. */
  readonly before?: Fields | undefined;
  /** The fields that differ, as they are since: all of them where the record was created. Of an import what became of its lines. */
  readonly after?: Fields | undefined;
}

/** A change as the table has it; its key names the record. */
export interface StoredHistory extends StoredItem, Omit<HistoryEntry, "id" | "before" | "after"> {
  /** Of a session: its family. */
  readonly family?: string | undefined;
  /** JSON: what a consumer writes by the thousand. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly expires_at: number;
}

/** A place by which a change is found; its order names the change. */
export interface StoredPlace extends StoredItem {
  readonly expires_at: number;
}

const partitionStart = "HISTORY#";
const placeStart = "CHANGES#";
const dayStart = `${placeStart}DAY#`;

/** The entity of the history's changes. */
export const historyItems = defineEntity<StoredHistory>("history", ({ pk }) => pk.startsWith(partitionStart));

/** The entity of the places by which changes are found. */
export const historyPlaces = defineEntity<StoredPlace>("history place", ({ pk }) => pk.startsWith(placeStart));

/** Partition of a record's history; of a session's end its user's. */
export function historyPartition(type: Exclude<RecordedType, "session">, id: number | string): string {
  return `${partitionStart}${type.toUpperCase()}#${id}`;
}

/** Partitions of the places by which a change is found. */
export const placePartitions = {
  actor: (by: string) => `${placeStart}BY#${by}`,
  company: (companyId: number) => `${placeStart}COMPANY#${companyId}`,
  change: (changeId: string) => `${placeStart}ID#${changeId}`,
  /** `day` as `yyyy-mm-dd` in UTC, `shard` below `shardsPerDay`. */
  day: (day: string, shard: number) => `${dayStart}${day}#${shard}`,
  /** The days, and of each the shards, that hold any place: what reads by time looks nowhere else. */
  usedShards: `${placeStart}DAYS`,
  /** What a shard holds that is used. */
  usedShard: ({ sk }: StoredPlace) => `${dayStart}${sk}`,
} as const;

/** The places by time are spread over so many partitions a day, each of which takes 1,000 write units a second. */
export const shardsPerDay = 8;

/** The number that a record's key names it by. */
export function numberIn({ pk }: Key): number {
  return Number(pk.slice(pk.indexOf("#") + 1));
}

/** The order of what was written in a second since 1970, as the stream numbers it; without a number, before all of that second. */
export function orderOf(second: number, sequence?: string): string {
  const start = String(second).padStart(10, "0");
  return sequence === undefined ? start : `${start}.${sequence.padStart(40, "0")}`;
}

/** The second in which something was written, by its order. */
function secondOf(order: string): number {
  return Number(order.slice(0, 10));
}

/** The order of a place: it sorts as its change does, and names it. */
export function placeOrder({ pk, sk }: Key): string {
  return `${sk}#${pk.slice(partitionStart.length)}`;
}

/** The key of the change that a place names. */
export function placedKey({ sk }: Key): Key {
  const end = sk.indexOf("#");
  return { pk: `${partitionStart}${sk.slice(end + 1)}`, sk: sk.slice(0, end) };
}

/** A change of the history as it was kept. */
export function toRecordedChange(item: StoredHistory): HistoryEntry {
  const { pk, sk: _at, schema_version: _version, expires_at: _until, family, ...rest } = item;
  const name = pk.slice(pk.indexOf("#", partitionStart.length) + 1);
  const id = family ?? (rest.type === "import" ? name : Number(name));
  const fieldsOf = (text: string | undefined): Fields | undefined =>
    text === undefined ? undefined : JSON.parse(text);
  return { ...rest, id, before: fieldsOf(rest.before), after: fieldsOf(rest.after) };
}

const daySeconds = 86_400;
const dayLength = "yyyy-mm-dd".length;

/** The day of a place, in UTC. */
export function dayOfPlace(place: string): string {
  return new Date(secondOf(place) * 1_000).toISOString().slice(0, dayLength);
}

/** The day of a shard that holds any place. */
export function dayOfShard({ sk }: StoredPlace): string {
  return sk.slice(0, dayLength);
}

/** The items that name the shards of days which places are in; the same for all places of one. */
export function usedShardsOf(items: readonly Item[]): Item[] {
  return items
    .filter(({ pk }) => String(pk).startsWith(dayStart))
    .map(({ pk, sk, expires_at }) => {
      const second = secondOf(String(sk));
      const daysEnd = second - (second % daySeconds) + daySeconds;
      const used = { pk: placePartitions.usedShards, sk: String(pk).slice(dayStart.length) };
      return historyPlaces.encode({ ...used, expires_at: daysEnd + Number(expires_at) - second });
    });
}
