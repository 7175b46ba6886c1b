import type { Caller } from "../../domain/caller.ts";
import type { UndoableList } from "../../domain/records/change-id.ts";
import { asChange } from "../../work.ts";
import type { ListedFields, ListedItem } from "../lists/listed-items.ts";
import { rememberOrigins } from "../table/origins.ts";
import { paces, retry } from "../table/retry.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import { type BegunChange, beginUndoable, findOwnChange } from "./undoable-changes.ts";

/** What several records of a list are to become. */
export interface BulkTarget<L extends UndoableList> {
  readonly list: L;
  /** Reads the records, in the order of the request; refuses where one is not there. */
  readonly find: () => Promise<readonly ListedItem<L>[]>;
  /** A record as it is answered. */
  readonly show: (record: ListedItem<L>) => ListedFields<L>;
  /** True for a record that is so already. */
  readonly isReached: (record: ListedItem<L>) => boolean;
}

/** Records as a change would leave them, and those that it would write. */
interface BulkPlan<L extends UndoableList> {
  readonly found: readonly ListedItem<L>[];
  /** In the order of the request. */
  readonly items: ListedFields<L>[];
  readonly changing: readonly ListedItem<L>[];
}

/** What became of a bulk operation. */
interface BulkChange<L extends UndoableList> extends Pick<BulkPlan<L>, "items"> {
  /** Undefined where all records were like that already. */
  readonly changeId: string | undefined;
}

/** Reads records, and says what a change of them would do (D40). */
export async function planTogether<L extends UndoableList>(target: BulkTarget<L>): Promise<BulkPlan<L>> {
  const found = await target.find();
  const items = rememberOrigins(found.map(target.show), found);
  return { found, items, changing: found.filter((record) => !target.isReached(record)) };
}

/**
 * Writes all records in one transaction, as a change that can be undone, or none (D18): those that are so already with a check alone.
 * Refuses as `busy` after 5 lost races. `token` names the first transaction (D32).
 */
export function changeTogether<L extends UndoableList>(
  target: BulkTarget<L>,
  write: (record: ListedItem<L>, begun: BegunChange | undefined) => TransactionWrite,
  caller: Caller,
  token: string | undefined,
): Promise<BulkChange<L>> {
  return retry(paces.bulk, async (race) => {
    const { found, items, changing } = await planTogether(target);
    const own = findOwnChange(target.list, found);
    if (own || changing.length === 0) return { items, changeId: own?.id };
    const begun = beginUndoable(target.list, changing, caller);
    const writes = asChange(begun?.change, () => found.map((record) => write(record, begun)));
    const failed = await transact(writes, { token: race === 0 ? token : undefined });
    return failed.length > 0 ? undefined : { items, changeId: begun?.change.id };
  });
}

/** What was read while a caller was authorized: the refusal must not depend on which is faster. */
export async function onceAuthorized<T>(authorization: Promise<void>, reading: Promise<T>): Promise<T> {
  await Promise.allSettled([authorization, reading]);
  await authorization;
  return reading;
}
