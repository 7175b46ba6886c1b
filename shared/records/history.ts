import type { Change } from "../run/change.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import type { Item, Key } from "../table/table.ts";

/** The types that have a history. A session's end is part of its user's; an import of new records is one change of its own. */
export type RecordedType = "timesheet" | "invoice" | "job" | "user" | "session" | "import";

/** The effect of the change on the record. */
type RecordedDoing = "created" | "updated" | "removed" | "ended" | "imported";

/** Values by field, as the interface names them; `CutValue` where one is too long to be kept. An undefined one is none. */
export type FieldValues = Readonly<Record<string, unknown>>;

/**
 * The stored part of a long value: the beginning of its JSON, and the hash of all of it (SHA-256, 22 letters of base64url). If so
 * many fields change that even this is too much, only the field's name is kept.
 */
export interface CutValue {
  readonly cut: string;
  readonly sha256?: string;
}

/** An entry of the history: the part of a change that concerns one record. */
export interface HistoryEntry {
  readonly type: RecordedType;
  /** Of the record; of a session its family, of an import the id of its run. */
  readonly id: number | string;
  readonly did: RecordedDoing;
  /** The author, the moment and the change; absent for a write that does not say them. */
  readonly change?: Change | undefined;
  /** When it was made, ISO 8601: the change's moment, or to the second that of the stream. */
  readonly at: string;
  /** The company whose operators may see it; absent where only admins may: users, sessions, imports, a way from one company to another. */
  readonly company_id?: number | undefined;
  /** Of a session: its user. */
  readonly user_id?: number | undefined;
  /** The revision that it led to, of a removal the one after the last. */
  readonly revision?: number | undefined;
  /** The fields that differ, as they were: all of them where the record was removed. */
  readonly before?: FieldValues | undefined;
  /** The fields that differ, as they are since: all of them where the record was created. Of an import what became of its lines. */
  readonly after?: FieldValues | undefined;
}

/** The content of a stored entry. Before and after are JSON, because they are written by the thousand. */
interface StoredEntry extends Omit<HistoryEntry, "id" | "before" | "after"> {
  /** Of a session: its family. */
  readonly family?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** As of the item: the indexes carry `record` alone. */
  readonly expires_at: number;
}

/** An entry as the table has it. The key names the record; index keys name who made it, the company and the change. */
export interface StoredHistory extends StoredItem {
  readonly record: StoredEntry;
  readonly expires_at: number;
}

const historyStart = "HISTORY#";

/** The entity of the history's entries. */
export const historyItems = defineEntity<StoredHistory>("history", ({ pk }) => pk.startsWith(historyStart));

/** A question that the history answers: the partition with the changes, of the table or of an index, and its keys. */
export interface HistoryQuestion {
  readonly index?: "by-state" | "by-company" | "by-month";
  readonly key: "pk" | "all_key" | "company_key" | "month_key";
  readonly order: keyof typeof orders;
  readonly partition: string;
}

/** The questions that the history answers. `by` is as in `Change`. A session's end is among the changes of its user. */
export const questions = {
  ofRecord: (type: Exclude<RecordedType, "session">, id: number | string): HistoryQuestion => {
    return { key: "pk", order: "sk", partition: historyPartition(type, id) };
  },
  byActor: (by: string): HistoryQuestion => {
    return { index: "by-state", key: "all_key", order: "id", partition: `${historyStart}BY#${by}` };
  },
  ofCompany: (companyId: number): HistoryQuestion => {
    return { index: "by-company", key: "company_key", order: "id", partition: `${historyStart}COMPANY#${companyId}` };
  },
  ofChange: (changeId: string): HistoryQuestion => {
    return { index: "by-month", key: "month_key", order: "day_id", partition: `${historyStart}CHANGE#${changeId}` };
  },
} as const;

/** Partition of a record's history; of a session's end its user's. */
export function historyPartition(type: Exclude<RecordedType, "session">, id: number | string): string {
  return `${historyStart}${type.toUpperCase()}#${id}`;
}

/** The number that a record's key names it by. */
export function numberIn({ pk }: Key): number {
  return Number(pk.slice(pk.indexOf("#") + 1));
}

/** The second since 1970, until the year 2286. */
const secondDigits = 10;
/** A sequence number of the stream has at most 40. */
const sequenceDigits = 40;
/** So many of the sequence's last digits fit beside the second into a number that is exact. */
const orderDigits = 6;

/**
 * The sort key of a change that was written in a second since 1970, as the stream numbers it. `isFirst` puts it before
 * the other change with that number.
 */
export function historyOrder(second: number, sequence = "", isFirst = false): string {
  const order = `${String(second).padStart(secondDigits, "0")}.${sequence.padStart(sequenceDigits, "0")}`;
  return `${order}.${isFirst ? "0" : "1"}`;
}

/** The orders of a change in the table and in the indexes, by its sort key. */
const orders = {
  sk: (sk: string) => sk,
  day_id: (sk: string) => sk,
  id: (sk: string) => {
    const sequenceEnd = secondDigits + 1 + sequenceDigits;
    return Number(sk.slice(0, secondDigits) + sk.slice(sequenceEnd - orderDigits, sequenceEnd));
  },
} as const;

/** The attributes by which an index answers a question with a change. */
export function indexKeys({ key, order, partition }: HistoryQuestion, sk: string): Item {
  return { [key]: partition, [order]: orders[order](sk) };
}

/** Names a change in every list that has it. */
export function placeOf({ pk, sk }: Key): string {
  return `${sk}#${pk.slice(historyStart.length)}`;
}

/** The key of the change that a place names. */
export function placedKey(place: string): Key {
  const end = place.indexOf("#");
  return { pk: `${historyStart}${place.slice(end + 1)}`, sk: place.slice(0, end) };
}

/** A change of the history as it was kept. */
export function toRecordedChange({ pk, record }: StoredHistory): HistoryEntry {
  const { expires_at: _until, family, ...rest } = record;
  const name = pk.slice(pk.indexOf("#", historyStart.length) + 1);
  const id = family ?? (rest.type === "import" ? name : Number(name));
  const fieldsOf = (text: string | undefined): FieldValues | undefined =>
    text === undefined ? undefined : JSON.parse(text);
  return { ...rest, id, before: fieldsOf(rest.before), after: fieldsOf(rest.after) };
}
