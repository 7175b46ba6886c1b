import { signOut } from "../../shared/contract/sessions.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { dropDevicesOfSession } from "../../shared/notifications/devices.ts";
import { endSessionFamily } from "../../shared/people/sessions.ts";

/** Ends the session of the access token and removes its devices. The token stays valid for its minutes (D5, D28). */
export const handler = authenticated(signOut, async ({ caller, change }) => {
  await endSessionFamily(caller.userId, caller.sessionId, change);
  // After the end of the session, so that no device can be registered meanwhile.
  await dropDevicesOfSession(caller.userId, caller.sessionId);
  return {};
});
