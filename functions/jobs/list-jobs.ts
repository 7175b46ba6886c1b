import { listJobs } from "../../shared/contract/jobs.ts";
import { findJobs } from "../../shared/db/records/jobs.ts";
import { requireScope } from "../../shared/domain/caller.ts";
import { pageStart, placePage } from "../../shared/domain/paging/paging.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Lists the jobs of the caller's company, newest id first (D30, D37). */
export const handler = authenticated(listJobs, async ({ query, caller }) => {
  const found = await findJobs(requireScope(caller), pageStart(query, listJobs.name));
  return placePage(query, listJobs.name, found);
});
