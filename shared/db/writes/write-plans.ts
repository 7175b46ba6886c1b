import { isDeepStrictEqual } from "node:util";
import type { Change } from "../../contract/operation.ts";
import { fieldsInvalid } from "../../contract/refusals.ts";
import { stampOf } from "../table/change-stamps.ts";
import { loadItem } from "../table/coalesced-reads.ts";
import { ifUnchanged } from "../table/conditions.ts";
import type { Entity, RecordItem } from "../table/entity.ts";
import type { Item, Key } from "../table/item-keys.ts";
import { paces, retry } from "../table/retry.ts";
import { isTombstone, liveItem, type Tombstone } from "../table/tombstones.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { type Commit, commitTogether } from "./commit.ts";
import type { Count } from "./counters.ts";
import { applyDry, type DryRunStore, findInDryRun } from "./dry-run.ts";
import { takeUniqueKey, type UniqueKey } from "./unique-keys.ts";

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
export interface WriteStamps {
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
