import { bulkUpdateTimesheets } from "../../contract/finance.ts";
import { adjustJobTimers } from "../../contract/jobs.ts";
import type { Role } from "../../contract/operation.ts";
import type { Caller } from "../../domain/caller.ts";
import { placeOfChange, type UndoableList } from "../../domain/records/change-id.ts";
import { Refusal } from "../../domain/refusal.ts";
import { listWrites } from "../lists/list-writes.ts";
import { type ListedItem, listedItems, listedKey } from "../lists/listed-items.ts";
import { readBatch } from "../table/batch-reads.ts";
import { lastChangeOf } from "../table/change-stamps.ts";
import { paces, retry } from "../table/retry.ts";
import type { ReplacedValues, UndoableChange } from "../table/undo-stamps.ts";
import { commitTogether } from "../writes/commit.ts";
import { findRemovals } from "../writes/removals.ts";
import { replaceItem } from "../writes/write-plans.ts";
import { type CallerContext, onceAuthorized } from "./bulk-changes.ts";
import { recordNotFound } from "./find-records.ts";
import { restoreTimer, timerOf } from "./jobs.ts";
import { restoreState, stateOf } from "./timesheets.ts";
import { beginUndoable, undoableId, undoStampsOf } from "./undoable-changes.ts";

/** For how long a change can be undone, from its own moment. */
const undoableMs = 24 * 60 * 60_000;

/** The context in which a user undoes a change. */
export interface UndoContext extends CallerContext {
  /** When it was first asked for. */
  readonly requestedAt: Date;
}

/** A change that undid another. */
export interface UndoneChange {
  readonly id: string;
  readonly undone: UndoableChange;
  readonly list: UndoableList;
}

type Untouched<L extends UndoableList> = ListedItem<L> & { readonly undo: ReplacedValues };

interface Kind<L extends UndoableList> {
  /** Who may make such a change, and so undo one. */
  readonly roles: readonly Role[];
  /** The values of a record that such a change replaces. */
  readonly replaced: (record: ListedItem<L>) => ReplacedValues["before"];
  /** The item of a record with the values that its last change replaced. */
  readonly restored: (record: ListedItem<L>, before: ReplacedValues["before"]) => ListedItem<L>;
}

const kinds: { readonly [L in UndoableList]: Kind<L> } = {
  TIMESHEETS: { roles: bulkUpdateTimesheets.access, replaced: stateOf, restored: restoreState },
  JOBS: { roles: adjustJobTimers.access, replaced: timerOf, restored: restoreTimer },
};

/**
 * Access pattern CH1: puts back every record of a change, all in one transaction or none (D41). Refuses as `record_not_found` a
 * change that there is not or that is another's, and text that is no id, as `change_undone`, as `change_expired` after 24 hours, as
 * `changed_since` where a record was written since, naming those, and as `busy` after 5 lost races. The change is read while the caller
 * is authorized. n + 1 read units; where the first record is gone, one query more. Three round trips.
 */
export async function undoChange(changeId: string, context: UndoContext): Promise<UndoneChange> {
  const { caller, authorization, requestedAt } = context;
  return retry(paces.bulk, async () => {
    const found = await onceAuthorized(authorization, findUndoable(changeId));
    if (!found || !mayUndo(found, caller)) throw recordNotFound();
    const { list, kept } = found;
    const { undone_by: id } = kept;
    if (id !== undefined && id === undoableId(context.change, list, kept.record_ids[0]))
      return { id, undone: kept, list };
    requireOpen(kept, requestedAt);
    const undoing = await putBack(list, kept, context);
    return undoing === undefined ? undefined : { id: undoing, undone: kept, list };
  });
}

/** Gives the id of the change that undoes; undefined where others came between. */
async function putBack<L extends UndoableList>(
  list: L,
  kept: UndoableChange,
  { caller, ...context }: CallerContext,
): Promise<string | undefined> {
  const records = await readUntouched(list, kept);
  const begun = beginUndoable(list, records, caller, context.change);
  const { replaced, restored } = kinds[list];
  const writing = { ...context, change: begun.change, notifies: true };
  const next = records.map((record) => restored(record, record.undo.before));
  const writes = records.map((record, at) => {
    const stamps = undoStampsOf(record, begun, kept, replaced(record));
    return replaceItem(record, next[at] ?? record, writing, stamps);
  });
  const counts = records.flatMap((record, at) => listWrites(list, record, next[at]).counts);
  const failed = await commitTogether(writes, counts, paces.bulkConflict);
  return failed.length > 0 ? undefined : begun.change.id;
}

interface FoundUndoable {
  readonly list: UndoableList;
  readonly kept: UndoableChange;
}

/** The first record of a change keeps it; where that was removed, its removal does. */
async function findUndoable(changeId: string): Promise<FoundUndoable | undefined> {
  const place = placeOfChange(changeId);
  if (!place) return undefined;
  const { list, recordId } = place;
  const key = listedKey(list, recordId);
  const keptBy = (stamps: { readonly undoable?: readonly UndoableChange[] | undefined } | undefined) =>
    stamps?.undoable?.find(({ id }) => id === changeId);
  const stored = await listedItems[list].find(key, { consistent: true });
  const kept = keptBy(stored) ?? (await findRemovals(key)).map(keptBy).find((each) => each !== undefined);
  return kept && { list, kept };
}

/** Whoever made it, in the role and company of then, and admins. */
function mayUndo({ list, kept }: FoundUndoable, { userId, role, companyId }: Caller): boolean {
  const { roles } = kinds[list];
  const isOwn = kept.user_id === userId && kept.role === role && kept.company_id === companyId;
  return roles.includes(role) && (role === "admin" || isOwn);
}

function requireOpen({ at, undone_by }: UndoableChange, now: Date): void {
  if (undone_by !== undefined) throw new Refusal("change_undone", "The change has been undone");
  if (now.getTime() - Date.parse(at) < undoableMs) return;
  throw new Refusal("change_expired", "The change was made more than 24 hours ago");
}

/** The records of a change, none of which was written since. */
async function readUntouched<L extends UndoableList>(
  list: L,
  { id, record_ids: ids }: UndoableChange,
): Promise<Untouched<L>[]> {
  const items = await readBatch(ids.map((recordId) => listedKey(list, recordId)));
  const untouched = items.flatMap((item) => {
    if (!item || lastChangeOf(item)?.id !== id) return [];
    const { undo, ...record } = listedItems[list].decode(item);
    return undo ? [{ ...record, undo }] : [];
  });
  if (untouched.length === ids.length) return untouched;
  const left = new Set(untouched.map((record) => record.id));
  const changedIds = ids.filter((recordId) => !left.has(recordId));
  throw new Refusal("changed_since", "Some of the records were changed since", { changedIds });
}
