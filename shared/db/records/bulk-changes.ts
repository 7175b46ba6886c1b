import type { Caller } from "../../domain/caller.ts";
import type { Found } from "../../domain/paging/paging.ts";
import type { UndoableList } from "../../domain/records/change-id.ts";
import { listWrites } from "../lists/list-writes.ts";
import type { ListedFields, ListedItem } from "../lists/listed-items.ts";
import { paces, retry } from "../table/retry.ts";
import type { ReplacedValues } from "../table/undo-stamps.ts";
import { commitTogether } from "../writes/commit.ts";
import { replaceItem, requireUnchanged, type WriteContext } from "../writes/write-plans.ts";
import { beginUndoable, findOwnChange, stampsOf } from "./undoable-changes.ts";

/** The context in which a signed-in user changes several records: who asks, and what the endpoint says of the request. */
export interface CallerContext extends WriteContext {
  readonly caller: Caller;
  /** What the operation asks of the caller beside the token: nothing is written before it is given. */
  readonly authorization: Promise<void>;
  /** Names the first transaction (D32). */
  readonly token: string | undefined;
}

/** What several records of a list are to become. */
export interface BulkTarget<L extends UndoableList> {
  readonly list: L;
  /** Reads the records, in the order of the request; refuses where one is not there. */
  readonly find: () => Promise<readonly ListedItem<L>[]>;
  /** A record as it is answered. */
  readonly show: (record: ListedItem<L>) => ListedFields<L>;
  /** True for a record that is so already. */
  readonly isReached: (record: ListedItem<L>) => boolean;
  /** The item that a record becomes. */
  readonly next: (record: ListedItem<L>) => ListedItem<L>;
  /** The values of a record that the change replaces, so that it can be undone. */
  readonly replaced: (record: ListedItem<L>) => ReplacedValues["before"];
}

/** Records as a change would leave them, and those that it would write. */
interface BulkPlan<L extends UndoableList> {
  readonly found: readonly ListedItem<L>[];
  /** In the order of the request. */
  readonly items: ListedFields<L>[];
  readonly changing: readonly ListedItem<L>[];
}

/** What became of a bulk operation. */
interface BulkChange<L extends UndoableList> extends Found<ListedFields<L>> {
  /** Undefined where all records were like that already. */
  readonly changeId: string | undefined;
}

/** Reads records while their caller is authorized, and says what a change of them would do (D40). */
export async function planTogether<L extends UndoableList>(
  target: BulkTarget<L>,
  authorization: Promise<void>,
): Promise<BulkPlan<L>> {
  const found = await onceAuthorized(authorization, target.find());
  return { found, items: found.map(target.show), changing: found.filter((record) => !target.isReached(record)) };
}

/**
 * Writes all records in one transaction, as a change that can be undone, or none (D18): those that are so already with a check alone.
 * Refuses as `busy` after 5 lost races.
 */
export function changeTogether<L extends UndoableList>(
  target: BulkTarget<L>,
  context: CallerContext,
): Promise<BulkChange<L>> {
  const { caller, authorization, change } = context;
  return retry(paces.bulk, async () => {
    const { found, items, changing } = await planTogether(target, authorization);
    const shown = { items, origins: found, total: items.length };
    const own = findOwnChange(target.list, found, change);
    if (own || changing.length === 0) return { ...shown, changeId: own?.id };
    const begun = beginUndoable(target.list, changing, caller, change);
    const writing = { ...context, change: begun.change, notifies: true };
    const next = new Map(changing.map((record) => [record, target.next(record)]));
    const writes = found.map((record) => {
      const item = next.get(record);
      if (!item) return requireUnchanged(record);
      return replaceItem(record, item, writing, stampsOf(record, begun, target.replaced(record)));
    });
    const counts = [...next].flatMap(([record, item]) => listWrites(target.list, record, item).counts);
    const failed = await commitTogether(writes, counts, paces.bulkConflict);
    return failed.length > 0 ? undefined : { ...shown, changeId: begun.change.id };
  });
}

/** What was read while a caller was authorized: the refusal must not depend on which is faster. */
export async function onceAuthorized<T>(authorization: Promise<void>, reading: Promise<T>): Promise<T> {
  await Promise.allSettled([authorization, reading]);
  await authorization;
  return reading;
}
