import { getTimesheet } from "../../shared/contract/finance.ts";
import { requireRecord } from "../../shared/db/records/records.ts";
import { requireScope } from "../../shared/domain/caller.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Shows one timesheet of the caller's company, as it is now (D39). */
export const handler = authenticated(getTimesheet, async ({ parameters, caller }) => ({
  timesheet: await requireRecord("TIMESHEETS", parameters.id, requireScope(caller)),
}));
