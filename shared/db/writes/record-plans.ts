import { ifUnchanged } from "../table/conditions.ts";
import type { Entity, RecordItem } from "../table/entity.ts";
import type { Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { noteRemoval } from "./removals.ts";
import {
  forgetRemoval,
  isRemovedAt,
  markRemoved,
  requireNotRemoved,
  type Tombstone,
  tombstoneKey,
  tombstones,
} from "./tombstones.ts";
import { changeItem, type Outcome, type WriteContext, type WritePlan } from "./write-plans.ts";

/**
 * What a line says of its record's version; without one it wins over whatever is stored, and with null the stored version
 * and the tombstone are forgotten (D35).
 */
interface Versioned {
  readonly version?: number | null | undefined;
}

/** The version that a line leaves a record with. */
export function versionAfter({ version }: Versioned, stored: RecordItem | undefined): number | undefined {
  return version === null ? undefined : (version ?? stored?.version);
}

/**
 * Adds or changes the record that a line is about, as `decide` says, unless the line is late: a version that is not above
 * the stored one, or the one the record was removed at, is `stale`. Reads one item, with a version one more.
 */
export function upsertRecord<Stored extends RecordItem>(
  entity: Entity<Stored>,
  key: Key,
  line: Versioned,
  context: WriteContext,
  decide: (stored: Stored | undefined) => WritePlan | Promise<WritePlan>,
): Promise<Outcome> {
  return changeRecord(entity, key, line, context, async (stored, tombstone) => {
    if (isStale(line, stored) || isRemovedAt(tombstone, line.version, context.now)) return { outcome: "stale" };
    const change = await decide(stored);
    if (line.version === null && tombstone) {
      const outcome = change.writes ? change.outcome : "updated";
      return { ...change, outcome, writes: [...(change.writes ?? []), forgetRemoval(key)] };
    }
    if (stored || typeof line.version !== "number" || !change.writes) return change;
    return { ...change, writes: [...change.writes, requireNotRemoved(key, line.version, context.now)] };
  });
}

/** The writes that remove a record, and the counts that it leaves. */
export type Withdrawal = Required<Pick<WritePlan, "writes">> & Pick<WritePlan, "counts">;

/**
 * Removes the record that a line is about by the writes that `withdraw` gives, unless the line is late. What is not there
 * is `unchanged`. A tombstone keeps the version of the removal, so that a late line does not bring the record back.
 */
export function removeRecord<Stored extends RecordItem>(
  entity: Entity<Stored>,
  key: Key,
  line: Versioned,
  context: WriteContext,
  withdraw: (stored: Stored) => Withdrawal,
): Promise<Outcome> {
  return changeRecord(entity, key, line, context, (stored, tombstone) => {
    const isMarked = isRemovedAt(tombstone, line.version, context.now);
    const tombstoneChange = tombstoneWrites(key, line, stored, tombstone, context.now);
    if (!stored && (isMarked || tombstoneChange.length === 0)) return { outcome: "unchanged" };
    if (isMarked || isStale(line, stored)) return { outcome: "stale" };
    const requireAbsent = { ConditionCheck: { Key: { ...key }, ...ifUnchanged(stored) } };
    if (!stored) return { outcome: "unchanged", writes: [requireAbsent, ...tombstoneChange] };
    const { writes, counts } = withdraw(stored);
    return {
      outcome: "removed",
      writes: [...writes, noteRemoval(stored, context.change), ...tombstoneChange],
      ...(counts && { counts }),
    };
  });
}

/** The write that keeps the version of a removal, or that forgets an earlier one; none where there is neither. */
function tombstoneWrites(
  key: Key,
  line: Versioned,
  stored: RecordItem | undefined,
  tombstone: Tombstone | undefined,
  now: Date,
): TransactionWrite[] {
  if (line.version === null) return tombstone ? [forgetRemoval(key)] : [];
  const version = versionAfter(line, stored);
  return version === undefined ? [] : [markRemoved(key, version, now)];
}

/** Reads the record and, for a line with a version, its tombstone. */
function changeRecord<Stored extends RecordItem>(
  entity: Entity<Stored>,
  key: Key,
  { version }: Versioned,
  context: WriteContext,
  decide: (stored: Stored | undefined, tombstone?: Tombstone) => WritePlan | Promise<WritePlan>,
): Promise<Outcome> {
  const record = { entity, key };
  if (version === undefined) return changeItem<[Stored]>([record], context, decide);
  const tombstone = { entity: tombstones, key: tombstoneKey(key) };
  return changeItem<[Stored, Tombstone]>([record, tombstone], context, decide);
}

function isStale({ version }: Versioned, stored: RecordItem | undefined): boolean {
  return typeof version === "number" && (stored?.version ?? -1) >= version;
}
