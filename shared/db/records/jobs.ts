import type { Caller, Scope } from "../../domain/caller.ts";
import type { FoundPage, PageStart } from "../../domain/paging/paging.ts";
import { jobListState } from "../../domain/records/list-place.ts";
import { asChange } from "../../work.ts";
import { type ListedFields, type ListedItem, toFields } from "../lists/listed-items.ts";
import { findListPage } from "../lists/lists.ts";
import { type RacePace, retryRaces } from "../table/conflicts.ts";
import { rememberOrigins } from "../table/origins.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import type { ReplacedValues, UndoableChange } from "../table/undo-stamps.ts";
import { checkOf, setOrRemove, updateOf } from "../table/updates.ts";
import { findRecordsWithin } from "./records.ts";
import {
  type BegunChange,
  type BulkChange,
  beginUndoable,
  conditionOf,
  findOwnChange,
  stampsOf,
  undoStampsOf,
  withStamps,
} from "./undoable-changes.ts";

/** Each race reads up to 100 jobs. */
const pace: RacePace = { races: 5, firstPauseMs: 1, longestPauseMs: 50 };

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

/** Jobs, and those of them whose timer a change would set. */
interface TimerPlan {
  readonly jobs: ListedFields<"JOBS">[];
  readonly changing: ListedFields<"JOBS">[];
}

/** Access pattern J3: what J1 would do, refused as J1 is (D40). n read units, one round trip. */
export async function planJobTimers(ids: readonly number[], scope: Scope, timer: JobTimer): Promise<TimerPlan> {
  const found = await findRecordsWithin("JOBS", ids, scope);
  const jobs = rememberOrigins(found.map(toFields<"JOBS">), found);
  return { jobs, changing: jobs.filter((_, at) => !hasTimer(found[at], timer)) };
}

/** True for a job whose offer window ends then already; without a timer it has no end. */
function hasTimer(job: ListedItem<"JOBS"> | undefined, { timer, timerExpiresAt }: JobTimer): boolean {
  const expiresAt = timerExpiresAt?.toISOString() ?? null;
  return (job?.timer ?? 0) === timer && (job?.timer_expires_at ?? null) === expiresAt;
}

/**
 * Access pattern J1: sets the timer of jobs, all or none (D24); those that have it are left alone. Refuses with `records_not_found`
 * when one is missing, and as `busy` after 5 lost races. `token` names the first transaction (D32). n read units, two round trips.
 */
export async function setJobTimers(
  ids: readonly number[],
  scope: Scope,
  timer: JobTimer,
  caller: Caller,
  token?: string,
): Promise<BulkChange<ListedFields<"JOBS">>> {
  return retryRaces(async (race) => {
    const found = await findRecordsWithin("JOBS", ids, scope);
    const items = rememberOrigins(found.map(toFields<"JOBS">), found);
    const own = findOwnChange("JOBS", found);
    const changing = found.filter((job) => !hasTimer(job, timer));
    if (own || changing.length === 0) return { items, changeId: own?.id };
    const begun = beginUndoable("JOBS", changing, caller);
    const writes = asChange(begun?.change, () => found.map((job) => setTimer(job, timer, caller.userId, begun)));
    const failed = await transact(writes, { token: race === 0 ? token : undefined });
    return failed.length > 0 ? undefined : { items, changeId: begun?.change.id };
  }, pace);
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
