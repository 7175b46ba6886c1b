import { listTimesheets } from "../../shared/contract/finance.ts";
import { narrowScope, requireScope } from "../../shared/contract/operation.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { findUser } from "../../shared/people/users.ts";
import { findTimesheets } from "../../shared/records/timesheets.ts";
import { boundedRange, nothingFound, readPage } from "../../shared/run/paging.ts";
import { findDriversTimesheets } from "./drivers-timesheets.ts";

/**
 * Lists the timesheets of the caller's company, or a driver's own, newest id first; all filters combine (D21, D22, D30,
 * D37).
 */
export const handler = authenticated(listTimesheets, async ({ query, caller, now }) => {
  const { by_state: states, from_date: fromDate, to_date: toDate, by_company: companyId } = query;
  if (caller.role === "driver") {
    const filter = { states, companyId, ...boundedRange({ fromDate, toDate }, now) };
    const profileId = (await findUser(caller.userId))?.profile_id ?? undefined;
    return readPage(listTimesheets, query, (start) =>
      profileId === undefined ? nothingFound : findDriversTimesheets(profileId, filter, start),
    );
  }
  const scope = narrowScope(requireScope(caller), companyId);
  return readPage(listTimesheets, query, (start) =>
    scope === null ? nothingFound : findTimesheets({ scope, states, fromDate, toDate }, start),
  );
});
