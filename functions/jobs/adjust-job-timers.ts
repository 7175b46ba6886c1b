import { adjustJobTimers } from "../../shared/contract/jobs.ts";
import { setJobTimers } from "../../shared/db/records/jobs.ts";
import { requireScope } from "../../shared/domain/caller.ts";
import { timerExpiry } from "../../shared/domain/records/job-timer.ts";
import { idempotent } from "../../shared/http/endpoint.ts";

/** Sets the timer of several jobs, all or none of them (D24). */
export const handler = idempotent(adjustJobTimers, async ({ body, caller, requestedAt, token }) => {
  const timer = { timer: body.timer, timerExpiresAt: timerExpiry(body.timer, requestedAt) };
  const jobs = await setJobTimers(body.job_ids, requireScope(caller), timer, caller, token);
  return { items: jobs, total: jobs.length };
});
