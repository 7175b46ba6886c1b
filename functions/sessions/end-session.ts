import { endSession as operation } from "../../shared/contract/sessions.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { dropDevicesOfSession } from "../../shared/notifications/devices.ts";
import { endSessionFamily, requireActing } from "../../shared/people/sessions.ts";
import { findAccount } from "../../shared/people/users.ts";
import { recordNotFound } from "../../shared/records/items.ts";

/**
 * Ends one of the caller's sessions and removes its devices; ending it again succeeds (D5, D28). Only a live session
 * may end another one: otherwise somebody whose session was ended could end the owner's in return. A session ended from
 * another one may be in a stranger's hands, so it proves no earlier session (D10).
 */
export const handler = authenticated(operation, async ({ parameters: { id }, caller, now, change }) => {
  const revoked = id !== caller.sessionId;
  if (revoked) await requireActing(caller, findAccount, now);
  if (id === undefined || !(await endSessionFamily(caller.userId, id, change, { revoked }))) throw recordNotFound();
  // After the end of its session, so that no device can be registered meanwhile.
  await dropDevicesOfSession(caller.userId, id);
  return {};
});
