import { requireSession } from "../../shared/accounts/caller-session.ts";
import { endSession as operation } from "../../shared/contract/sessions.ts";
import { endSession } from "../../shared/db/accounts/sessions.ts";
import { dropDevicesOfSession } from "../../shared/db/notifications/device-tokens.ts";
import { recordNotFound } from "../../shared/db/records/records.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/**
 * Ends one of the caller's sessions, and removes its devices; ending it again is fine (D5, D28). Others can be ended only from a
 * session that lives: the access token of one that was ended must not end its owner's in return. They may be in a stranger's hands,
 * so that they prove no earlier session (D10).
 */
export const handler = authenticated(operation, async ({ parameters: { id }, caller, now }) => {
  const revoked = id !== caller.sessionId;
  if (revoked) await requireSession(caller, now);
  if (id === undefined || !(await endSession(caller.userId, id, { revoked }))) throw recordNotFound();
  // After its session no device can be registered in it.
  await dropDevicesOfSession(caller.userId, id);
  return {};
});
