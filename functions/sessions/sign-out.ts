import { signOut } from "../../shared/contract/sessions.ts";
import { endSession } from "../../shared/db/accounts/sessions.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** Ends the session that the access token belongs to; the token itself lives out its minutes (D5). */
export const handler = authenticated(signOut, async ({ caller }) => {
  await endSession(caller.userId, caller.sessionId);
  return {};
});
