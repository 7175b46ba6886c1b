import { authorizePayment } from "../../shared/accounts/authorize-payment.ts";
import { planBulkUpdateTimesheets } from "../../shared/contract/finance.ts";
import { findUsersOfProfiles } from "../../shared/db/accounts/profiles.ts";
import { planTimesheetStates } from "../../shared/db/records/timesheets.ts";
import { requireScope } from "../../shared/domain/caller.ts";
import { planned } from "../../shared/http/endpoint.ts";

/** Shows the effects of marking timesheets as paid or pending, and changes nothing (D40). */
export const handler = planned(
  planBulkUpdateTimesheets,
  async ({ body: { timesheet_ids: ids, state }, caller }) => {
    const { items, changing } = await planTimesheetStates(ids, requireScope(caller), state);
    const users = await findUsersOfProfiles(changing.map(({ record }) => record.driver.profile_id));
    const notified = users.filter((id) => id !== caller.userId);
    return { timesheets: items, plan: { would_change: changing.length, would_notify: notified.length } };
  },
  { authorize: ({ body, caller, now }) => authorizePayment(caller, body.passcode, now) },
);
