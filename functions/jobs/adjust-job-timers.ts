import { adjustJobTimers } from "../../shared/contract/jobs.ts";
import { setJobTimers, timerFrom } from "../../shared/db/records/jobs.ts";
import { requireScope } from "../../shared/domain/caller.ts";
import { idempotent } from "../../shared/http/endpoint.ts";

/** Sets the timer of several jobs, all or none (D24). */
export const handler = idempotent(adjustJobTimers, async ({ body, requestedAt, ...context }) => {
  const { job_ids: ids, timer } = body;
  return setJobTimers(ids, requireScope(context.caller), timerFrom(timer, requestedAt), context);
});
