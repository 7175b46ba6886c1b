import { adjustJobTimers } from "../../shared/contract/jobs.ts";
import { setJobTimers } from "../../shared/db/jobs.ts";
import { requireScope } from "../../shared/domain/caller.ts";
import { timerExpiry } from "../../shared/domain/job-timer.ts";
import { forSignedIn } from "../../shared/http/endpoint.ts";

/** Sets the timer of several jobs, all or none of them (D24). */
export const handler = forSignedIn(adjustJobTimers, async ({ body, caller, now }) => {
  const timer = { timer: body.timer, timerExpiresAt: timerExpiry(body.timer, now) };
  const jobs = await setJobTimers(body.job_ids, requireScope(caller), timer, caller);
  return { items: jobs, total: jobs.length };
});
