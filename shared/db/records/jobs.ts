import type { Caller, Scope } from "../../domain/caller.ts";
import type { FoundPage, PageStart } from "../../domain/paging/paging.ts";
import { jobListState } from "../../domain/records/list-place.ts";
import { type ListedFields, type ListedItem, listedKey, toFields } from "../lists/listed-items.ts";
import { findListPage } from "../lists/lists.ts";
import { rememberOrigins } from "../table/origins.ts";
import { transact } from "../table/transaction.ts";
import { updateOf } from "../table/updates.ts";
import { findRecordsWithin, recordsNotFound } from "./records.ts";

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
 * Access pattern J1: sets the timer of jobs, all or none (D24). Refuses with `records_not_found` when one is missing.
 * `token` names the transaction (D32). Gives the jobs in the order of the ids. n read units, two round trips.
 */
export async function setJobTimers(
  ids: readonly number[],
  scope: Scope,
  { timer, timerExpiresAt }: JobTimer,
  { userId }: Caller,
  token?: string,
): Promise<ListedFields<"JOBS">[]> {
  const found = await findRecordsWithin("JOBS", ids, scope);
  const set = { timer, timer_expires_at: timerExpiresAt?.toISOString() ?? null, changed_by: userId };
  const changes = { when: "attribute_exists(pk)", set, remove: ["silent"], add: { revision: 1 } };
  const writes = ids.map((id) => ({ Update: updateOf(listedKey("JOBS", id), changes) }));
  const failed = await transact(writes, { token });
  if (failed.length > 0) throw recordsNotFound(failed.flatMap((position) => ids[position] ?? []));
  return rememberOrigins(found.map(toFields<"JOBS">), found);
}

/** Access pattern J2: one page of the jobs, newest id first, and how many there are (D37). */
export function findJobs(scope: Scope, start: PageStart): Promise<FoundPage<ListedFields<"JOBS">>> {
  return findListPage({ list: "JOBS", states: [jobListState], scope }, start);
}
