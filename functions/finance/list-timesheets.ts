import { listTimesheets } from "../../shared/contract/finance.ts";
import { findTimesheets } from "../../shared/db/records/timesheets.ts";
import { narrowScope, requireScope } from "../../shared/domain/caller.ts";
import { nothingFound, readPage } from "../../shared/domain/paging/paging.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Lists the timesheets of the caller's company, newest id first; all filters combine (D21, D22, D30, D37). */
export const handler = authenticated(listTimesheets, ({ query, caller }) => {
  const scope = narrowScope(requireScope(caller), query.by_company);
  const { by_state: states, from_date: fromDate, to_date: toDate } = query;
  return readPage(listTimesheets, query, (start) =>
    scope === null ? nothingFound : findTimesheets({ scope, states, fromDate, toDate }, start),
  );
});
