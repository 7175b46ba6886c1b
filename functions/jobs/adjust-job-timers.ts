import { adjustJobTimers } from "../../shared/contract/jobs.ts";
import { setJobTimers } from "../../shared/db/records/jobs.ts";
import { requireScope } from "../../shared/domain/caller.ts";
import { idempotent } from "../../shared/http/endpoint.ts";

/** Sets the timer of several jobs, all or none of them (D24). */
export const handler = idempotent(adjustJobTimers, async ({ body, caller, requestedAt, token }) => {
  const { job_ids: ids, timer } = body;
  const timerExpiresAt = timer === 0 ? null : new Date(requestedAt.getTime() + timer * 1000);
  const jobs = await setJobTimers(ids, requireScope(caller), { timer, timerExpiresAt }, caller, token);
  return { items: jobs, total: jobs.length };
});
