import { isDeepStrictEqual } from "node:util";
import { fieldsInvalid } from "../../domain/records/record-line.ts";
import { loadItem } from "../table/coalesced-reads.ts";
import { ifUnchanged } from "../table/conditions.ts";
import { retryRaces } from "../table/conflicts.ts";
import { type Item, type Key, putIf } from "../table/table.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import { applyDry, type DryRunStore, findInDryRun } from "./dry-run.ts";
import { takeUniqueKey, type UniqueKey } from "./unique-keys.ts";

/** What became of a record: `stale` when it is stored, or was removed, at this version or a later one already (D35). */
export type Outcome = "created" | "updated" | "unchanged" | "removed" | "stale";

/** What is to be written for a record as it was read; nothing, when there are no writes. */
export interface Change {
  readonly outcome: Outcome;
  readonly writes?: readonly TransactionWrite[];
  readonly uniqueKeys?: readonly UniqueKey[];
}

/** What the writes of a record depend on beside the record. */
export interface WriteContext {
  readonly now: Date;
  /** True where those whom the change concerns are told of it (D25); otherwise the write is silent (D35). */
  readonly notifies?: boolean | undefined;
  /** Present in a dry run: takes the writes in place of the table. */
  readonly dryRun?: DryRunStore | undefined;
}

/** Attributes that tell of the last write of an item, and are no part of what it holds. */
const writeAttributes = new Set(["silent", "changed_by", "push"]);

/**
 * Reads an item, and others that it depends on, decides what it becomes, and writes that if what the writes are held to is
 * still as it was read; else all over again. So parallel changes each build on the other. Refuses as `busy` after many
 * lost races, and with `fields_invalid` where another user holds what is claimed.
 */
export async function changeItem(
  keys: readonly Key[],
  { dryRun }: WriteContext,
  decide: (...stored: (Item | undefined)[]) => Change | Promise<Change>,
): Promise<Outcome> {
  return retryRaces(async () => {
    const items = await Promise.all(keys.map(loadItem));
    const change = await decide(...keys.map((key, at) => findInDryRun(key, dryRun, items[at])));
    const isDone = !change.writes?.length || (await commit(change.writes, change.uniqueKeys ?? [], dryRun));
    return isDone ? change.outcome : undefined;
  });
}

/** True when everything was written; false when an item was changed by others meanwhile. */
async function commit(
  writes: readonly TransactionWrite[],
  uniqueKeys: readonly UniqueKey[],
  dryRun: DryRunStore | undefined,
): Promise<boolean> {
  const failed = dryRun
    ? await applyDry(writes, uniqueKeys, dryRun)
    : await write([...writes, ...uniqueKeys.map(takeUniqueKey)]);
  if (failed.some((position) => position < writes.length)) return false;
  const taken = uniqueKeys.filter((_, position) => failed.includes(writes.length + position));
  if (taken.length === 0) return true;
  throw fieldsInvalid(taken.map(({ field }) => ({ path: [field], code: "taken", detail: "belongs to another user" })));
}

async function write(writes: readonly TransactionWrite[]): Promise<readonly number[]> {
  const put = writes.length === 1 ? writes[0]?.Put : undefined;
  if (!put) return transact(writes);
  return (await putIf(put)) ? [] : [0];
}

/**
 * Puts an item with the next revision in place of the one that was read, or where none was. A first revision continues
 * from the clock: what was decided on an item that is gone must not fit the one that follows it under the same key.
 */
export function replaceItem(stored: Item | undefined, next: Item, { notifies }: WriteContext): TransactionWrite {
  const revision = stored ? Number(stored.revision) + 1 : firstRevision();
  const Item = { ...next, revision, changed_by: undefined, silent: notifies ? undefined : true };
  return { Put: { Item, ...ifUnchanged(stored) } };
}

/** The first revision of a new item: above those of any item that had its key before. */
export function firstRevision(): number {
  return Date.now();
}

/** Deletes an item that was read. */
export function deleteItem(stored: Item): TransactionWrite {
  return { Delete: { Key: { pk: stored.pk, sk: stored.sk }, ...ifUnchanged(stored) } };
}

/** True when an item would be stored as it already is; undefined attributes and those of the last write count as absent. */
export function isSameItem(stored: Item | undefined, next: Item): boolean {
  return stored !== undefined && isDeepStrictEqual(contentOf(stored), contentOf(next));
}

function contentOf(item: Item): Item {
  const content = Object.entries(item).filter(([name, value]) => value !== undefined && !writeAttributes.has(name));
  return Object.fromEntries(content);
}
