import { listTimesheets, timesheetStates } from "../../shared/contract/finance.ts";
import { findTimesheets } from "../../shared/db/records/timesheets.ts";
import { narrowScope, requireScope } from "../../shared/domain/caller.ts";
import { nothingFound, pageStart, placePage } from "../../shared/domain/paging/paging.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Lists the timesheets of the caller's company, newest id first; all filters combine (D21, D22, D30, D37). */
export const handler = authenticated(listTimesheets, async ({ query, caller }) => {
  const { by_state: states = timesheetStates, from_date: fromDate, to_date: toDate } = query;
  const filters = JSON.stringify([listTimesheets.name, states, fromDate, toDate, query.by_company]);
  const start = pageStart(query, filters);
  const scope = narrowScope(requireScope(caller), query.by_company);
  const found = scope === null ? nothingFound : await findTimesheets({ scope, states, fromDate, toDate }, start);
  return placePage(query, filters, found);
});
