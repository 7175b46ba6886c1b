import { getTimesheet } from "../../shared/contract/finance.ts";
import { requireScope } from "../../shared/contract/operation.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { findUser } from "../../shared/people/users.ts";
import { recordNotFound, requireRecord, toFields } from "../../shared/records/items.ts";

/** Shows the current state of a timesheet: of the caller's company, or a driver's own (D39). */
export const handler = authenticated(getTimesheet, async ({ parameters: { id }, caller }) => {
  const stored = await (caller.role === "driver"
    ? requireDriversOwn(id, caller.userId)
    : requireRecord("TIMESHEETS", id, requireScope(caller)));
  return { timesheet: toFields<"TIMESHEETS">(stored) };
});

/** A timesheet of the user's profile, in any company. Others' are refused like absent ones. 2 read units. */
async function requireDriversOwn(id: number | undefined, userId: number) {
  const [found, user] = await Promise.all([requireRecord("TIMESHEETS", id, "all"), findUser(userId)]);
  if (user?.profile_id !== found.record.driver.profile_id) throw recordNotFound();
  return found;
}
