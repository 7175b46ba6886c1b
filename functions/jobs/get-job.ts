import { getJob } from "../../shared/contract/jobs.ts";
import { requireScope } from "../../shared/contract/operation.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { requireRecord, toFields } from "../../shared/records/items.ts";

/** Shows the current state of a job of the caller's company, with its timer (D24, D39). */
export const handler = authenticated(getJob, async ({ parameters, caller }) => {
  const stored = await requireRecord("JOBS", parameters.id, requireScope(caller));
  return { job: { ...toFields<"JOBS">(stored), timer_expires_at: stored.timer_expires_at ?? null } };
});
