import type { Caller, Scope } from "../../domain/caller.ts";
import type { FoundPage, PageStart } from "../../domain/paging/paging.ts";
import { jobListState } from "../../domain/records/list-place.ts";
import { type ListedFields, type ListedItem, toFields } from "../lists/listed-items.ts";
import { findListPage } from "../lists/lists.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import type { ReplacedValues, UndoableChange } from "../table/undo-stamps.ts";
import { checkOf, setOrRemove, updateOf } from "../table/updates.ts";
import { type BulkTarget, changeTogether, planTogether } from "./bulk-changes.ts";
import { findRecordsWithin } from "./records.ts";
import { type BegunChange, conditionOf, stampsOf, undoStampsOf, withStamps } from "./undoable-changes.ts";

/** When a job's offer window closes; null leaves it open. */
export interface JobTimer {
  /** Seconds from the call, as sent; 0 clears. */
  readonly timer: number;
  readonly timerExpiresAt: Date | null;
}

/** The timer of so many seconds from a moment on; 0 is none. */
export function timerFrom(timer: number, from: Date): JobTimer {
  return { timer, timerExpiresAt: timer === 0 ? null : new Date(from.getTime() + timer * 1000) };
}

/** Access pattern J3: what J1 would do, refused as J1 is (D40). n read units, one round trip. */
export function planJobTimers(ids: readonly number[], scope: Scope, timer: JobTimer) {
  return planTogether(targetOf(ids, scope, timer));
}

/**
 * Access pattern J1: sets the timer of jobs, all or none (D24); those that have it are left alone. Refuses with `records_not_found`
 * when one is missing, and as `busy` after 5 lost races. `token` names the first transaction (D32). n read units, two round trips.
 */
export function setJobTimers(ids: readonly number[], scope: Scope, timer: JobTimer, caller: Caller, token?: string) {
  const write = (job: ListedItem<"JOBS">, begun: BegunChange | undefined) => setTimer(job, timer, caller.userId, begun);
  return changeTogether(targetOf(ids, scope, timer), write, caller, token);
}

function targetOf(ids: readonly number[], scope: Scope, timer: JobTimer): BulkTarget<"JOBS"> {
  const find = () => findRecordsWithin("JOBS", ids, scope);
  return { list: "JOBS", find, show: toFields<"JOBS">, isReached: (job) => hasTimer(job, timer) };
}

/** True for a job whose offer window ends then already; without a timer it has no end. */
function hasTimer(job: ListedItem<"JOBS">, { timer, timerExpiresAt }: JobTimer): boolean {
  const expiresAt = timerExpiresAt?.toISOString() ?? null;
  return (job.timer ?? 0) === timer && (job.timer_expires_at ?? null) === expiresAt;
}

/** One that has the timer has to have it still. */
function setTimer(
  stored: ListedItem<"JOBS">,
  timer: JobTimer,
  userId: number,
  begun: BegunChange | undefined,
): TransactionWrite {
  const before = timerOf(stored);
  if (hasTimer(stored, timer)) return { ConditionCheck: checkOf(stored, before) };
  const set = { timer: timer.timer, timer_expires_at: timer.timerExpiresAt?.toISOString() ?? null, changed_by: userId };
  const changes = withStamps(set, stampsOf(stored, begun, before));
  const when = "attribute_exists(pk)";
  const where = { ...before, ...conditionOf(stored, begun) };
  return { Update: updateOf(stored, { where, when, ...changes, add: { revision: 1 } }) };
}

/** The write that gives a job the timer again that its last change replaced. */
export function restoreTimer(
  stored: ListedItem<"JOBS"> & { readonly undo: ReplacedValues },
  begun: BegunChange,
  undone: UndoableChange,
): TransactionWrite {
  const stamps = undoStampsOf(stored, begun, undone, timerOf(stored));
  const timer = setOrRemove("timer", stored.undo.before.timer);
  const expiry = setOrRemove("timer_expires_at", stored.undo.before.timer_expires_at);
  const changes = withStamps({ ...timer.set, ...expiry.set, changed_by: begun.kept.user_id }, stamps);
  const remove = [...changes.remove, ...timer.remove, ...expiry.remove];
  const where = { revision: stored.revision };
  return { Update: updateOf(stored, { where, set: changes.set, remove, add: { revision: 1 } }) };
}

function timerOf({ timer, timer_expires_at }: ListedItem<"JOBS">) {
  return { timer, timer_expires_at };
}

/** Access pattern J2: one page of the jobs, newest id first, and how many there are (D37). */
export function findJobs(scope: Scope, start: PageStart): Promise<FoundPage<ListedFields<"JOBS">>> {
  return findListPage({ list: "JOBS", states: [jobListState], scope }, start);
}
