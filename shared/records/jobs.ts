import * as v from "valibot";
import { adjustJobTimers } from "../contract/jobs.ts";
import type { Scope } from "../contract/operation.ts";
import type { FoundPage, PageStart } from "../run/paging.ts";
import { jobListState } from "../table/counters.ts";
import { type BulkKind, type BulkRead, changeTogether } from "./bulk.ts";
import type { ChangeContext } from "./changes.ts";
import { type ListedFields, type ListedItem, listedItems } from "./items.ts";
import { findListPage } from "./lists.ts";

/** The end of a job's offer window, and the seconds that were sent; absent of a job that never had one. */
type JobTimer = Pick<ListedItem<"JOBS">, "timer" | "timer_expires_at">;

/** Bulk changes of jobs set the timer. */
export const jobTimers: BulkKind<"JOBS", JobTimer> = {
  list: "JOBS",
  roles: adjustJobTimers.access,
  idsPath: ["job", "job_ids"],
  schema: v.object({ timer: v.exactOptional(v.number()), timer_expires_at: v.exactOptional(v.nullable(v.string())) }),
  valuesOf: ({ timer, timer_expires_at }) => ({
    ...(timer !== undefined && { timer }),
    ...(timer_expires_at !== undefined && { timer_expires_at }),
  }),
  // A job that never had a timer has no end.
  isSame: (one, other) =>
    (one.timer ?? 0) === (other.timer ?? 0) && (one.timer_expires_at ?? null) === (other.timer_expires_at ?? null),
  withValues: ({ timer: _timer, timer_expires_at: _end, ...job }, values) =>
    listedItems.JOBS.encode({ ...job, ...values }),
};

/** The timer of so many seconds from a moment on; 0 is none. */
export function timerFrom(timer: number, from: Date): JobTimer {
  return { timer, timer_expires_at: timer === 0 ? null : new Date(from.getTime() + timer * 1000).toISOString() };
}

/**
 * Access pattern J1: sets the timer of jobs, all or none (D24). Refuses with `records_not_found` if one is missing, and
 * as `busy`. `begun` is what `readBulk` has read already. n read units, two round trips.
 */
export function setJobTimers(
  ids: readonly number[],
  scope: Scope,
  values: JobTimer,
  context: ChangeContext,
  begun?: BulkRead<"JOBS">,
) {
  return changeTogether(jobTimers, { ids, scope, values }, context, begun);
}

/** Access pattern J2: one page of the jobs, newest id first, and how many there are (D37). */
export function findJobs(scope: Scope, start: PageStart): Promise<FoundPage<ListedFields<"JOBS">>> {
  return findListPage({ list: "JOBS", states: [jobListState], scope }, start);
}
