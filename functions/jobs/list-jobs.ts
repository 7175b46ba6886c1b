import { listJobs } from "../../shared/contract/jobs.ts";
import { findJobs } from "../../shared/db/records/jobs.ts";
import { requireScope } from "../../shared/domain/caller.ts";
import { readPage } from "../../shared/domain/paging/paging.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Lists the jobs of the caller's company, newest id first (D30, D37). */
export const handler = authenticated(listJobs, ({ query, caller }) =>
  readPage(listJobs, query, (start) => findJobs(requireScope(caller), start)),
);
