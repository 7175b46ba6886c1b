import { isDeepStrictEqual } from "node:util";
import { fieldsInvalid } from "../domain/record-line.ts";
import { type Claim, takeClaim } from "./claims.ts";
import { busy } from "./conflicts.ts";
import { gatherItem } from "./gathered-reads.ts";
import { findRehearsed, type Rehearsal, rehearse } from "./rehearsal.ts";
import { type Item, type Key, putIf } from "./table.ts";
import { type TransactionWrite, transact } from "./transaction.ts";

/** What became of a record: `stale` when a later version of it is stored already (D35). */
export type Outcome = "created" | "updated" | "unchanged" | "removed" | "stale";

/** What is to be written for a record as it was read; nothing, when there are no writes. */
export interface Change {
  readonly outcome: Outcome;
  readonly writes?: readonly TransactionWrite[];
  readonly claims?: readonly Claim[];
}

/** What the writes of a record depend on beside the record. */
export interface WriteContext {
  readonly now: Date;
  /** Present in a dry run: takes the writes in place of the table. */
  readonly rehearsal?: Rehearsal | undefined;
}

const maxAttempts = 40;
const longestPauseMs = 50;

/**
 * Reads an item, decides what it becomes, and writes that if the item is still as it was read; else all over again. So
 * parallel changes each build on the other. Refuses as `busy` after many lost races, and with `fields_invalid` where
 * another user holds what is claimed.
 */
export async function changeItem(
  key: Key,
  { rehearsal }: WriteContext,
  decide: (stored: Item | undefined) => Change | Promise<Change>,
): Promise<Outcome> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const stored = findRehearsed(key, rehearsal, await gatherItem(key));
    const change = await decide(stored);
    if (!change.writes?.length || (await commit(change.writes, change.claims ?? [], rehearsal))) return change.outcome;
    const pause = Math.random() * Math.min(2 ** attempt, longestPauseMs);
    await new Promise((resume) => setTimeout(resume, pause));
  }
  throw busy();
}

/** True when everything was written; false when an item was changed by others meanwhile. */
async function commit(
  writes: readonly TransactionWrite[],
  claims: readonly Claim[],
  rehearsal: Rehearsal | undefined,
): Promise<boolean> {
  const failed = rehearsal
    ? await rehearse(writes, claims, rehearsal)
    : await write([...writes, ...claims.map(takeClaim)]);
  if (failed.some((position) => position < writes.length)) return false;
  const taken = claims.filter((_, position) => failed.includes(writes.length + position));
  if (taken.length === 0) return true;
  throw fieldsInvalid(taken.map(({ field }) => ({ path: [field], code: "taken", detail: "belongs to another user" })));
}

async function write(writes: readonly TransactionWrite[]): Promise<readonly number[]> {
  const put = writes.length === 1 ? writes[0]?.Put : undefined;
  if (!put) return transact(writes);
  return (await putIf(put)) ? [] : [0];
}

/** Puts an item with the next revision in place of the one that was read, or where none was. */
export function replaceItem(stored: Item | undefined, next: Item): TransactionWrite {
  const Item = { ...next, revision: Number(stored?.revision ?? 0) + 1 };
  return { Put: { Item, ...(stored ? ifUnchanged(stored) : { ConditionExpression: "attribute_not_exists(pk)" }) } };
}

/** Deletes an item that was read. */
export function deleteItem(stored: Item): TransactionWrite {
  return { Delete: { Key: { pk: stored.pk, sk: stored.sk }, ...ifUnchanged(stored) } };
}

/** True when a line carries a version that is not above the stored one; a line without a version is never late (D35). */
export function isStale(line: { readonly version?: number | undefined }, stored: Item | undefined): boolean {
  return line.version !== undefined && Number(stored?.version ?? -1) >= line.version;
}

/** True when an item would be stored as it already is; undefined attributes count as absent. */
export function isSameItem(stored: Item | undefined, next: Item): boolean {
  const present = Object.entries(next).filter(([, value]) => value !== undefined);
  return isDeepStrictEqual(stored, Object.fromEntries(present));
}

function ifUnchanged({ revision }: Item) {
  return { ConditionExpression: "revision = :revision", ExpressionAttributeValues: { ":revision": revision } };
}
