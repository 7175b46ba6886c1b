import { msPerDay } from "../contract/values.ts";
import type { Entity, RecordItem } from "./entity.ts";
import { changePlace, isSameItem, type Outcome, replaceItem, type WriteContext, type WritePlan } from "./plans.ts";
import type { Item, Key } from "./table.ts";
import { epochSecondsAfter, isTombstone, type Tombstone } from "./table.ts";
import type { TransactionWrite } from "./writes.ts";

/** For so many days a tombstone keeps late lines from restoring its record. No event bus or queue holds a line as long. */
export const tombstoneDays = 30;
/** An export may look back as long, and takes some time itself. */
export const tombstoneItemDays = tombstoneDays + 1;
/** The version in the tombstone of an erased user. Such a tombstone refuses every line, and stays until it is deleted. */
export const erasedVersion = Number.MAX_SAFE_INTEGER;

/**
 * The version that a line gives its record. Without a version a line wins over the stored record; with null it deletes
 * the stored version (D35).
 */
interface Versioned {
  readonly version?: number | null | undefined;
}

/** A record as a line leaves it, with the writes that go with it. */
interface Draft<Stored> extends Pick<WritePlan, "uniqueKeys" | "counts"> {
  readonly next: Stored;
  readonly writes?: readonly TransactionWrite[];
}

/** The record or the tombstone in a place, and the version that lines have to exceed. */
interface RecordPlace<Stored> {
  readonly stored: Stored | undefined;
  readonly tombstone: Tombstone | undefined;
  readonly version: number | undefined;
}

/**
 * Adds or changes the record that a line is about, as `decide` says, unless the line is late: a version that is not above
 * the one that was stored or removed last is `stale`. Reads one item.
 */
export function upsertRecord<Stored extends RecordItem>(
  entity: Entity<Stored>,
  key: Key,
  line: Versioned,
  context: WriteContext,
  decide: (stored: Stored | undefined) => Draft<Stored> | Promise<Draft<Stored>>,
): Promise<Outcome> {
  return changePlace(key, context, async (found) => {
    const { stored, tombstone, version } = readPlace(entity, found, context.now);
    if (isErased(key, tombstone?.version) || isStale(line, version)) return { outcome: "stale" };
    const { next, writes = [], ...others } = await decide(stored);
    const removed_before = tombstone ? tombstone.removed_at : stored?.removed_before;
    const item = entity.encode({ ...next, version: versionAfter(line, version), removed_before });
    if (isSameItem(stored, item)) return { outcome: "unchanged" };
    const put = replaceItem(stored ?? tombstone, item, context);
    return { ...others, outcome: stored ? "updated" : "created", writes: [put, ...writes] };
  });
}

/** The writes that go with a record's removal, and the counts that it leaves. */
type Withdrawal = Pick<WritePlan, "writes" | "counts">;

/**
 * Removes the record that a line is about, together with the writes of `withdraw`, unless the line is late. A record
 * that does not exist is `unchanged`. A tombstone in its place keeps the version, so that a late line does not bring
 * the record back. Reads one item.
 */
export function removeRecord<Stored extends RecordItem>(
  entity: Entity<Stored>,
  key: Key,
  line: Versioned,
  context: WriteContext,
  withdraw: (stored: Stored) => Withdrawal = () => ({}),
): Promise<Outcome> {
  return changePlace(key, context, (found) => {
    const { stored, tombstone, version } = readPlace(entity, found, context.now);
    const next = versionAfter(line, version);
    if (stored) {
      if (isStale(line, version)) return { outcome: "stale" };
      const { writes = [], ...others } = withdraw(stored);
      return { ...others, outcome: "removed", writes: [putTombstone(key, stored, next, context), ...writes] };
    }
    if (isErased(key, tombstone?.version) || isStale(line, version) || next === version)
      return { outcome: "unchanged" };
    return { outcome: "unchanged", writes: [putTombstone(key, tombstone, next, context)] };
  });
}

/** Says that the last of a record was removed now. A record that exists stays. */
export async function renewTombstone(entity: Entity<RecordItem>, key: Key, context: WriteContext): Promise<void> {
  await changePlace(key, context, (found) => {
    const { stored, tombstone, version } = readPlace(entity, found, context.now);
    if (stored) return { outcome: "unchanged" };
    return { outcome: "removed", writes: [putTombstone(key, tombstone, version, context)] };
  });
}

/** A tombstone keeps its version for a time alone, and may be there longer. That of an erased person refuses lines itself. */
function readPlace<Stored extends RecordItem>(
  entity: Entity<Stored>,
  found: Item | undefined,
  now: Date,
): RecordPlace<Stored> {
  const tombstone = found && isTombstone(found) ? found : undefined;
  const stored = found && !tombstone ? entity.decode(found) : undefined;
  const isKept = tombstone && Date.parse(tombstone.removed_at) + tombstoneDays * msPerDay > now.getTime();
  return { stored, tombstone, version: isKept ? tombstone.version : stored?.version };
}

/** Puts a tombstone in the place of what was read there. */
function putTombstone(
  { pk, sk }: Key,
  read: RecordItem | Tombstone | undefined,
  version: number | undefined,
  context: WriteContext,
): TransactionWrite {
  const now = new Date();
  const expires_at = isErased({ pk, sk }, version) ? undefined : epochSecondsAfter(now, tombstoneItemDays);
  const moment = { removed_at: now.toISOString(), expires_at };
  return replaceItem(read, { pk, sk, schema_version: 1, version, ...moment }, { ...context, notifies: false });
}

/** The version that a line leaves behind. */
function versionAfter({ version: said }: Versioned, version: number | undefined): number | undefined {
  return said === null ? undefined : (said ?? version);
}

/** Other records may get any version from an event, and stay repairable. Events are not about users. */
function isErased({ sk }: Key, version: number | undefined): boolean {
  return sk === "USER" && version === erasedVersion;
}

function isStale({ version: said }: Versioned, version: number | undefined): boolean {
  return version !== undefined && typeof said === "number" && version >= said;
}
