import { getTimesheet } from "../../shared/contract/finance.ts";
import { requireRecord } from "../../shared/db/records/records.ts";
import type { Timesheet } from "../../shared/db/records/timesheets.ts";
import { requireScope } from "../../shared/domain/caller.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Shows one timesheet of the caller's company, as it is now (D39). */
export const handler = authenticated(getTimesheet, async ({ parameters, caller }) => ({
  timesheet: await requireRecord<Timesheet>("TIMESHEET", parameters.id, requireScope(caller)),
}));
