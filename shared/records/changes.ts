import type { Caller, RequestKey, Role } from "../contract/operation.ts";
import { Refusal } from "../contract/refusals.ts";
import type { Change } from "../run/change.ts";
import { nameOfChange } from "../run/change.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import type { Item, Key } from "../table/table.ts";
import { epochSecondsAfter } from "../table/table.ts";
import type { TransactionWrite } from "../table/writes.ts";
import { anyOf, isAbsent, lacks, updateOf } from "../table/writes.ts";

/** A list whose bulk changes can be undone (D41). */
export type UndoableList = "TIMESHEETS" | "JOBS";

/** A record as a change left it. */
interface ChangedRecord {
  readonly id: number;
  /** The record's revision after the change. */
  readonly revision: number;
  /** The values that the change replaced; absent ones are absent. */
  readonly before: object;
}

/** A change that one call of a user made, for its undo and for repetitions of its request. */
export interface ChangeItem extends StoredItem, Omit<Change, "id"> {
  /** The whole id: the key has a part of it. An attribute `id` would put the item into the indexes of lists. */
  readonly change_id: string;
  readonly user_id: number;
  /** The role and company in which the user made it. */
  readonly role: Role;
  readonly company_id: number | null;
  readonly list: UndoableList;
  /** The records that it wrote; empty if all were as asked. */
  readonly records: readonly ChangedRecord[];
  /** Until then it can be undone, and its request be repeated: ISO 8601. */
  readonly valid_to: string;
  /** The change that undid it. */
  readonly undone_by?: string;
  /** Keyed hash of the request, if that had an Idempotency-Key. */
  readonly fingerprint?: string | undefined;
  readonly expires_at: number;
}

/** The entity of changes. */
export const changes = defineEntity<ChangeItem>("change", ({ sk }) => sk === "CHANGE");

/** A caller's request that makes a change. */
export interface ChangeContext {
  readonly caller: Caller;
  readonly now: Date;
  readonly change: Change;
  readonly key: RequestKey | undefined;
}

/** Longer than queues and streams keep anything. */
export const changeItemDays = 15;
/** A client repeats a lost request within minutes; a user takes a change back on the same day. */
export const validMs = 24 * 60 * 60_000;
/** The clocks of two environments differ by less. */
const skewMs = 5 * 60_000;

/** Key of a change. Another change may have been made under it: readers compare the whole id. */
export function changeKey(id: string): Key {
  return { pk: `CHANGE#${nameOfChange(id)}`, sk: "CHANGE" };
}

/** Access pattern CH2: a change by its id, consistently. 1 read unit for every 4 KB. */
export async function findChange(id: string): Promise<ChangeItem | undefined> {
  const stored = await changes.find(changeKey(id), { consistent: true });
  return stored?.change_id === id ? stored : undefined;
}

/**
 * Access pattern CH3: the change that the same request made before; undefined if there is none, or without a key.
 * Refuses with `idempotency_key_reused` if another request of the user had the key. 1 read unit for every 4 KB.
 */
export async function findEarlier(key: RequestKey | undefined): Promise<ChangeItem | undefined> {
  const stored = key && (await changes.find(changeKey(key.changeId), { consistent: true }));
  if (!stored || stored.valid_to <= freeFrom(new Date())) return undefined;
  if (stored.fingerprint !== undefined && key.matches(stored.fingerprint)) return stored;
  throw new Refusal("idempotency_key_reused", "The Idempotency-Key belongs to another request of yours");
}

/** The item of a change that is being made. */
export function newChange(
  list: UndoableList,
  records: readonly ChangedRecord[],
  { caller, key }: Pick<ChangeContext, "caller" | "key">,
  { id: change_id, ...stamp }: Change,
): ChangeItem {
  const { userId: user_id, role, companyId: company_id } = caller;
  const at = new Date(stamp.at);
  const valid_to = new Date(at.getTime() + validMs).toISOString();
  const kept = { fingerprint: key?.fingerprint, valid_to, expires_at: epochSecondsAfter(at, changeItemDays) };
  return { ...changeKey(change_id), change_id, ...stamp, user_id, role, company_id, list, records, ...kept };
}

/** Stores a change unless its key holds another. It fails if the same request, or another with its Idempotency-Key, came first. */
export function putChange(change: ChangeItem) {
  return {
    Put: {
      Item: changes.encode(change) satisfies Item,
      ConditionExpression: anyOf(isAbsent, "valid_to <= :free"),
      ExpressionAttributeValues: { ":free": freeFrom(new Date()) },
    },
  } satisfies TransactionWrite;
}

/** Stores that a change was undone by another. It fails if it was undone before. */
export function markUndone({ change_id }: ChangeItem, undoneBy: string): TransactionWrite {
  const changed = { where: { change_id }, when: lacks("undone_by"), set: { undone_by: undoneBy } };
  return { Update: updateOf(changeKey(change_id), changed) };
}

/** The id that an answer names: none if the change wrote no record. */
export function shownId({ change_id, records }: ChangeItem): string | undefined {
  return records.length > 0 ? change_id : undefined;
}

/** The `valid_to` up to which a change gives its key to another. */
function freeFrom(now: Date): string {
  return new Date(now.getTime() - skewMs).toISOString();
}
