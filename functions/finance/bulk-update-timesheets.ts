import { bulkUpdateTimesheets } from "../../shared/contract/finance.ts";
import { moveTimesheets } from "../../shared/db/timesheets.ts";
import { requireScope } from "../../shared/domain/caller.ts";
import { forSignedIn } from "../../shared/http/endpoint.ts";

/** Marks timesheets as paid or pending, all or none of them (D17, D18). */
export const handler = forSignedIn(bulkUpdateTimesheets, async ({ body, caller }) => {
  const timesheets = await moveTimesheets(body.timesheet_ids, requireScope(caller), body.state, caller);
  return { items: timesheets, total: timesheets.length };
});
