import { signOut } from "../../shared/contract/sessions.ts";
import { endSession } from "../../shared/db/accounts/sessions.ts";
import { dropDevicesOfSession } from "../../shared/db/notifications/device-tokens.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Ends the session that the access token belongs to, and removes its devices; the token lives out its minutes (D5, D28). */
export const handler = authenticated(signOut, async ({ caller }) => {
  await endSession(caller.userId, caller.sessionId);
  // After its session no device can be registered in it.
  await dropDevicesOfSession(caller.userId, caller.sessionId);
  return {};
});
