import { planAdjustJobTimers } from "../../shared/contract/jobs.ts";
import { planJobTimers, timerFrom } from "../../shared/db/records/jobs.ts";
import { requireScope } from "../../shared/domain/caller.ts";
import { planned } from "../../shared/http/endpoint.ts";

/** Shows the effects of setting the timer of several jobs, and changes nothing (D40). Timers notify nobody. */
export const handler = planned(planAdjustJobTimers, async ({ body: { job_ids: ids, timer }, caller, now }) => {
  const { items, changing } = await planJobTimers(ids, requireScope(caller), timerFrom(timer, now));
  return { jobs: items, plan: { would_change: changing.length, would_notify: 0 } };
});
