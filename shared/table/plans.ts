import { isDeepStrictEqual } from "node:util";
import { fieldsInvalid } from "../contract/refusals.ts";
import type { Change } from "../run/change.ts";
import { type Count, counterWrites, foldCounts, partFor, userParts } from "./counters.ts";
import type { Entity, RecordItem } from "./entity.ts";
import { loadItem } from "./reads.ts";
import { paces, retry, retryConflicts } from "./retry.ts";
import { getItem, type Item, isTombstone, type Key, keyOf, liveItem, stampOf, type Tombstone } from "./table.ts";
import { anyOf, ifUnchanged, isAbsent, putIf, type TransactionWrite, transactOnce, updateOf } from "./writes.ts";

/** A key that only one user may have, and the field that asks for it. */
export interface UniqueKey {
  readonly key: Key;
  readonly userId: number;
  readonly field: string;
  /** Stored beside the owner's id if the key has no such attributes yet. */
  readonly attributes: Item;
}

/** Takes a free key. A key that the user owns stays as it is. */
function takeUniqueKey({ key, userId, attributes }: UniqueKey): TransactionWrite {
  const { ConditionExpression: when, ExpressionAttributeValues: values } = ifFreeOrHeldBy(userId);
  return { Update: updateOf(key, { when, values, set: { user_id: userId }, setOnce: attributes }) };
}

/** Deletes a key that a user owns. */
export function releaseUniqueKey({ key, userId }: UniqueKey): TransactionWrite {
  return { Delete: { Key: { ...key }, ...ifFreeOrHeldBy(userId) } };
}

function ifFreeOrHeldBy(userId: number) {
  const ConditionExpression = anyOf(isAbsent, "user_id = :user");
  return { ConditionExpression, ExpressionAttributeValues: { ":user": userId } };
}

/** Stores what a dry run would have written: an item, null for a deleted one, undefined for an untouched one. */
export interface DryRunStore {
  find(key: Key): Item | null | undefined;
  keep(key: Key, item: Item | null): void;
}

/** The item as the dry run's writes so far would have left it. */
function findInDryRun(key: Key, dryRun: DryRunStore | undefined, stored: Item | undefined): Item | undefined {
  const kept = dryRun?.find(key);
  return kept === undefined ? stored : (kept ?? undefined);
}

/**
 * Applies a transaction to the dry run's store instead of the table. Returns the positions of the writes that would
 * have failed.
 */
async function applyDry(
  writes: readonly TransactionWrite[],
  uniqueKeys: readonly UniqueKey[],
  dryRun: DryRunStore,
): Promise<readonly number[]> {
  const stored = await Promise.all(uniqueKeys.map(({ key }) => getItem(key, { consistent: true })));
  // No await from here on: if two users of a file have the same login, only one may find it free.
  const failed = uniqueKeys.flatMap(({ key, userId }, position) => {
    const holder = findInDryRun(key, dryRun, stored[position]);
    return holder && holder.user_id !== userId ? [writes.length + position] : [];
  });
  if (failed.length > 0) return failed;
  for (const { Put, Delete } of writes) {
    if (Put?.Item) dryRun.keep(keyOf(Put.Item), Put.Item);
    if (Delete?.Key) dryRun.keep(keyOf(Delete.Key), null);
  }
  for (const { key, userId } of uniqueKeys) dryRun.keep(key, { ...key, user_id: userId });
  return [];
}

/** The part of the counters that a transaction writes after so many attempts. */
type PartOf = (attempts: number) => number;

const userPartOf: PartOf = (attempts) => partFor(userParts, 0, attempts);

/**
 * Carries out the writes of a change and adds its counts, all or none. Returns the positions of the writes whose
 * conditions failed.
 */
export type Commit = (writes: readonly TransactionWrite[], counts?: readonly Count[]) => Promise<readonly number[]>;

/**
 * Carries out the writes of a change and adds its counts in one transaction. A single put without counts is no
 * transaction, which costs half. Refuses with `busy` if others' transactions hold the items for longer than a second.
 * Counts go to a part of the users, unless `partOf` names others.
 */
export async function commitTogether(
  writes: readonly TransactionWrite[],
  counts: readonly Count[] = [],
  partOf: PartOf = userPartOf,
): Promise<readonly number[]> {
  const folded = foldCounts(counts);
  const put = writes.length === 1 && folded.length === 0 ? writes[0]?.Put : undefined;
  if (put) return (await putIf(put)) ? [] : [0];
  return retryConflicts((count, leftMs) => commitOnce(writes, counts, { count, leftMs }, partOf));
}

/** An attempt to commit: the number of attempts before it, and the time that is left. */
export interface Attempt {
  readonly count: number;
  readonly leftMs: number;
}

/** As `commitTogether`, but throws if others' transactions hold the items, so that the caller decides again. */
export function commitOnce(
  writes: readonly TransactionWrite[],
  counts: readonly Count[],
  { count, leftMs }: Attempt,
  partOf: PartOf = userPartOf,
): Promise<readonly number[]> {
  return transactOnce([...writes, ...counterWrites(foldCounts(counts), partOf(count))], leftMs);
}

/** The result of a write. `stale`: the record is stored, or was removed, at this version or a later one already (D35). */
export type Outcome = "created" | "updated" | "unchanged" | "removed" | "stale";

/** The writes of a record as it was read; none if nothing is to be written. */
export interface WritePlan {
  readonly outcome: Outcome;
  readonly writes?: readonly TransactionWrite[];
  readonly uniqueKeys?: readonly UniqueKey[];
  /** Additions to the counters of lists. */
  readonly counts?: readonly Count[];
}

/** The facts beside the record that its writes depend on. */
export interface WriteContext {
  readonly now: Date;
  /** The change that the write belongs to, with its author. */
  readonly change: Change;
  /** True where the users that the change concerns are notified of it (D25); otherwise the write is silent (D35). */
  readonly notifies?: boolean | undefined;
  /** Present in a dry run: takes the writes in place of the table. */
  readonly dryRun?: DryRunStore | undefined;
  /** Commits the writes of a change, `commitTogether` unless given: an import commits those of many changes at once. */
  readonly commit?: Commit | undefined;
}

/** Attributes that describe the last write of an item, and are no part of its content. */
const writeAttributes = new Set<string>(["silent", "changed_by", "change", "push", "write_id", "schema_version"]);

/**
 * Reads the item or tombstone in a place, decides what it becomes, and writes that on condition that it is unchanged; else
 * begins again. So parallel changes each build on the other. Refuses as `busy` after many lost races, and with
 * `fields_invalid` if another user holds a unique key. One read unit.
 */
export async function changePlace(
  key: Key,
  context: WriteContext,
  decide: (found: Item | undefined) => WritePlan | Promise<WritePlan>,
): Promise<Outcome> {
  return retry(paces.record, async () => {
    const change = await decide(await findWritten(key, context));
    const isDone = !change.writes?.length || (await write(change.writes, change, context));
    return isDone ? change.outcome : undefined;
  });
}

/** An item as it is before a write, in a dry run as earlier writes of that would have left it. One read unit. */
export async function findToWrite<Stored extends object>(
  entity: Entity<Stored>,
  key: Key,
  context: WriteContext,
): Promise<Stored | undefined> {
  const item = liveItem(await findWritten(key, context));
  return item && entity.decode(item);
}

async function findWritten(key: Key, { dryRun }: WriteContext): Promise<Item | undefined> {
  return findInDryRun(key, dryRun, await loadItem(key));
}

/** True when everything was written; false when an item was changed by others meanwhile. */
async function write(
  writes: readonly TransactionWrite[],
  { uniqueKeys = [], counts = [] }: WritePlan,
  { dryRun, commit = commitTogether }: WriteContext,
): Promise<boolean> {
  const failed = dryRun
    ? await applyDry(writes, uniqueKeys, dryRun)
    : await commit([...writes, ...uniqueKeys.map(takeUniqueKey)], counts);
  if (failed.some((position) => position < writes.length)) return false;
  const taken = uniqueKeys.filter((_, position) => failed.includes(writes.length + position));
  if (taken.length === 0) return true;
  throw fieldsInvalid(taken.map(({ field }) => ({ path: [field], code: "taken", detail: "belongs to another user" })));
}

/** The attributes that describe a write in its item beside the change, until the next write. */
interface WriteStamps {
  readonly changed_by?: number;
}

/** An item that was read, as far as its next write depends on it. */
interface Revised extends Pick<RecordItem, "revision"> {
  readonly erased_at?: string;
}

/**
 * Puts an item with the next revision in place of the item or tombstone that was read, or of nothing. A first revision
 * is the clock's time: a write that was decided on an item that has been removed must not fit the item that follows
 * under the same key.
 */
export function replaceItem(
  stored: Revised | Tombstone | undefined,
  next: object,
  { notifies, change }: WriteContext,
  stamps: WriteStamps = {},
): TransactionWrite {
  const revision = stored ? stored.revision + 1 : firstRevision();
  const stamp = stampOf(next as Item, change, { creates: !stored || isTombstone(stored) });
  const last = { changed_by: undefined, silent: notifies ? undefined : true };
  const Item = { ...next, revision, ...stamp, ...last, ...stamps };
  return { Put: { Item, ...(stored ? ifAsRead(stored) : ifUnchanged(stored)) } };
}

/** Erasing a person leaves the revision as it is. An item that was read before and put after would bring the name back. */
function ifAsRead({ revision, erased_at }: Revised) {
  const condition = erased_at === undefined ? "attribute_not_exists(erased_at)" : "erased_at = :erased";
  return {
    ConditionExpression: `revision = :revision AND ${condition}`,
    ExpressionAttributeValues: { ":revision": revision, ":erased": erased_at },
  };
}

/** The check of a transaction that an item is as it was read. */
export function requireUnchanged(stored: Key & Revised): TransactionWrite {
  return { ConditionCheck: { Key: { pk: stored.pk, sk: stored.sk }, ...ifUnchanged(stored) } };
}

/** The first revision of a new item: above those of any item that had its key before. */
export function firstRevision(): number {
  return Date.now();
}

/** Deletes an item that was read. */
export function deleteItem(stored: Key & Revised): TransactionWrite {
  return { Delete: { Key: { pk: stored.pk, sk: stored.sk }, ...ifUnchanged(stored) } };
}

/**
 * True when an item would be stored as it already is. Undefined attributes count as absent, and so do those of the last
 * write and of the schema: an item of an older version is not written for its version alone.
 */
export function isSameItem(stored: object | undefined, next: object): boolean {
  return stored !== undefined && isDeepStrictEqual(contentOf(stored), contentOf(next));
}

function contentOf(item: object): object {
  const content = Object.entries(item).filter(([name, value]) => value !== undefined && !writeAttributes.has(name));
  return Object.fromEntries(content);
}
