import { listJobs } from "../../shared/contract/jobs.ts";
import { requireScope } from "../../shared/contract/operation.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { findJobs } from "../../shared/records/jobs.ts";
import { readPage } from "../../shared/run/paging.ts";

/** Lists the jobs of the caller's company, newest id first (D30, D37). */
export const handler = authenticated(listJobs, ({ query, caller }) =>
  readPage(listJobs, query, (start) => findJobs(requireScope(caller), start)),
);
