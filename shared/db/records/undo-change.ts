import { bulkUpdateTimesheets } from "../../contract/finance.ts";
import { adjustJobTimers } from "../../contract/jobs.ts";
import type { Role } from "../../contract/operation.ts";
import type { Caller } from "../../domain/caller.ts";
import { placeOfChange, type UndoableList } from "../../domain/records/change-id.ts";
import { Refusal } from "../../domain/refusal.ts";
import { asChange } from "../../work.ts";
import { type ListedItem, listedItems, listedKey } from "../lists/listed-items.ts";
import { readBatch } from "../table/batch-reads.ts";
import { lastChangeOf } from "../table/change-stamps.ts";
import { paces, retry } from "../table/retry.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import type { ReplacedValues, UndoableChange } from "../table/undo-stamps.ts";
import { findRemovals } from "../writes/removals.ts";
import { onceAuthorized } from "./bulk-changes.ts";
import { restoreTimer } from "./jobs.ts";
import { recordNotFound } from "./records.ts";
import { restoreState } from "./timesheets.ts";
import { type BegunChange, beginUndoable, isOwnChange } from "./undoable-changes.ts";

/** For how long a change can be undone, from its own moment. */
const undoableMs = 24 * 60 * 60_000;

/** An undo that was asked for. */
export interface UndoRequest {
  /** Of the change that is to be undone; text that is no id names no change. */
  readonly changeId: string;
  readonly caller: Caller;
  /** What the operation asks of the caller beside the token. */
  readonly authorization: Promise<void>;
  /** When it was first asked for. */
  readonly requestedAt: Date;
  /** Names the first transaction (D32). */
  readonly token: string | undefined;
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
  /** The write that puts a record back. */
  readonly restore: (record: Untouched<L>, begun: BegunChange, undone: UndoableChange) => TransactionWrite;
}

const kinds: { readonly [L in UndoableList]: Kind<L> } = {
  TIMESHEETS: { roles: bulkUpdateTimesheets.access, restore: restoreState },
  JOBS: { roles: adjustJobTimers.access, restore: restoreTimer },
};

/**
 * Access pattern CH1: puts back every record of a change, all in one transaction or none (D41). Refuses as `record_not_found` a
 * change that there is not or that is another's, as `change_undone`, as `change_expired` after 24 hours, as `changed_since` where a
 * record was written since, naming those, and as `busy` after 5 lost races. Nothing is written before `authorization` is given. n + 1 read
 * units; where the first record is gone, one query more. Three round trips.
 */
export async function undoChange(request: UndoRequest): Promise<UndoneChange> {
  const { caller, authorization, requestedAt, token } = request;
  return retry(paces.bulk, async (race) => {
    const found = await onceAuthorized(authorization, findUndoable(request.changeId));
    if (!found || !mayUndo(found, caller)) throw recordNotFound();
    const { list, kept } = found;
    const { undone_by: id } = kept;
    if (id !== undefined && isOwnChange(id, list, kept.record_ids[0] ?? 0)) return { id, undone: kept, list };
    requireOpen(kept, requestedAt);
    const undoing = await putBack(list, kept, caller, race === 0 ? token : undefined);
    return undoing === undefined ? undefined : { id: undoing, undone: kept, list };
  });
}

/** Gives the id of the change that undoes; undefined where others came between. */
async function putBack<L extends UndoableList>(
  list: L,
  kept: UndoableChange,
  caller: Caller,
  token: string | undefined,
): Promise<string | undefined> {
  const records = await readUntouched(list, kept);
  const begun = beginUndoable(list, records, caller);
  if (!begun) throw new Error("A change is undone outside of any work");
  const { restore } = kinds[list];
  const writes = asChange(begun.change, () => records.map((record) => restore(record, begun, kept)));
  const failed = await transact(writes, { token });
  return failed.length > 0 ? undefined : begun.change.id;
}

interface FoundChange {
  readonly list: UndoableList;
  readonly kept: UndoableChange;
}

/** The first record of a change keeps it; where that was removed, its removal does. */
async function findUndoable(changeId: string): Promise<FoundChange | undefined> {
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
function mayUndo({ list, kept }: FoundChange, { userId, role, companyId }: Caller): boolean {
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
