import { adjustJobTimers } from "../../shared/contract/jobs.ts";
import { requireScope } from "../../shared/contract/operation.ts";
import { idempotent } from "../../shared/http/endpoint.ts";
import { readBulk } from "../../shared/records/bulk.ts";
import { setJobTimers, timerFrom } from "../../shared/records/jobs.ts";

/** Sets the timer of several jobs, all or none (D24). */
export const handler = idempotent(adjustJobTimers, {
  read: ({ body: { job_ids: ids }, caller, key }) => readBulk("JOBS", { ids, scope: requireScope(caller) }, key),
  write: ({ body: { job_ids: ids, timer }, ...context }, begun) =>
    setJobTimers(ids, requireScope(context.caller), timerFrom(timer, context.now), context, begun),
});
