import * as v from "valibot";
import type { Scope } from "../../domain/caller.ts";
import type { FoundPage, PageStart } from "../../domain/paging/paging.ts";
import { jobListState } from "../../domain/records/list-position.ts";
import { type ListedFields, type ListedItem, listedItems, toFields } from "../lists/listed-items.ts";
import { findListPage } from "../lists/lists.ts";
import type { ReplacedValues } from "../table/undo-stamps.ts";
import { type BulkTarget, type CallerContext, changeTogether, planTogether } from "./bulk-changes.ts";
import { findRecordsWithin } from "./find-records.ts";

/** When a job's offer window closes; null leaves it open. */
export interface JobTimer {
  /** Seconds from the call, as sent; 0 clears. */
  readonly timer: number;
  readonly timerExpiresAt: Date | null;
}

/** The same as a job's item has it; absent of a job that never had one. */
type StoredTimer = Partial<Pick<ListedItem<"JOBS">, "timer" | "timer_expires_at">>;

/** The timer of so many seconds from a moment on; 0 is none. */
export function timerFrom(timer: number, from: Date): JobTimer {
  return { timer, timerExpiresAt: timer === 0 ? null : new Date(from.getTime() + timer * 1000) };
}

/** Access pattern J3: what J1 would do, refused as J1 is (D40). n read units, one round trip. */
export function planJobTimers(ids: readonly number[], scope: Scope, timer: JobTimer) {
  return planTogether(targetOf(ids, scope, timer), Promise.resolve());
}

/**
 * Access pattern J1: sets the timer of jobs, all or none (D24); those that have it are left alone. Refuses with `records_not_found`
 * when one is missing, and as `busy` after 5 lost races. n read units, two round trips.
 */
export function setJobTimers(ids: readonly number[], scope: Scope, timer: JobTimer, context: CallerContext) {
  return changeTogether(targetOf(ids, scope, timer), context);
}

function targetOf(ids: readonly number[], scope: Scope, { timer, timerExpiresAt }: JobTimer): BulkTarget<"JOBS"> {
  const timer_expires_at = timerExpiresAt?.toISOString() ?? null;
  return {
    list: "JOBS",
    find: () => findRecordsWithin("JOBS", ids, scope),
    show: toFields<"JOBS">,
    // A job without a timer has no end.
    isReached: (job) => (job.timer ?? 0) === timer && (job.timer_expires_at ?? null) === timer_expires_at,
    next: (job) => withTimer(job, { timer, timer_expires_at }),
    replaced: timerOf,
  };
}

/** The item of a job with another timer. */
function withTimer(job: ListedItem<"JOBS">, { timer, timer_expires_at }: StoredTimer): ListedItem<"JOBS"> {
  return listedItems.JOBS.encode({ ...job, timer, timer_expires_at });
}

/** The values of a job that a change of its timer replaces. */
export function timerOf({ timer, timer_expires_at }: ListedItem<"JOBS">): StoredTimer {
  return { timer, timer_expires_at };
}

/** The item of a job with the timer that a change of it replaced. */
export function restoreTimer(job: ListedItem<"JOBS">, before: ReplacedValues["before"]): ListedItem<"JOBS"> {
  return withTimer(job, v.parse(timerBefore, before));
}

const timerBefore = v.object({
  timer: v.optional(v.number()),
  timer_expires_at: v.optional(v.nullable(v.string())),
});

/** Access pattern J2: one page of the jobs, newest id first, and how many there are (D37). */
export function findJobs(scope: Scope, start: PageStart): Promise<FoundPage<ListedFields<"JOBS">>> {
  return findListPage({ list: "JOBS", states: [jobListState], scope }, start);
}
