import * as v from "valibot";
import { loginText, user } from "./accounts.ts";
import { everyRole, operation } from "./operation.ts";
import { longestPassword, text, timestamp } from "./values.ts";

/** The tokens of a sign-in: the access token with its life in seconds, and the token that renews it (D5). */
export const issuedToken = v.object({
  access_token: text(4096),
  token_type: v.literal("Bearer"),
  expires_in: v.pipe(v.number(), v.integer(), v.minValue(0)),
  refresh_token: text(200),
});

/** POST users/sign_in: exchanges a login and its password for tokens (D5, D15). */
export const signIn = operation({
  name: "sign-in",
  summary: "Signs in with a login and a password",
  method: "POST",
  path: "/api/v1/users/sign_in",
  access: "anyone",
  body: { object: "user", fields: v.object({ login: loginText, password: text(longestPassword) }) },
  answer: v.object({ user, token: issuedToken }),
  refusals: ["login_invalid", "too_many_requests"],
});

/** POST users/token: spends a refresh token for new tokens (D5). */
export const refreshToken = operation({
  name: "refresh-token",
  summary: "Renews the access token",
  method: "POST",
  path: "/api/v1/users/token",
  access: "anyone",
  body: { object: "token", fields: v.object({ refresh_token: text(4096) }) },
  answer: v.object({ token: issuedToken }),
  refusals: ["refresh_token_invalid"],
});

/** DELETE users/sign_out: ends the session that the access token belongs to (D5). */
export const signOut = operation({
  name: "sign-out",
  summary: "Ends the caller's session",
  method: "DELETE",
  path: "/api/v1/users/sign_out",
  access: everyRole,
  needsSession: false,
  keys: "closed",
  answer: v.object({}),
});

/** A user has as many devices (D28). */
const mostPlatforms = 20;

/** A session of the caller's that can be renewed, without its tokens. */
export const session = v.object({
  id: text(64),
  opened_at: timestamp,
  refreshed_at: timestamp,
  platforms: v.pipe(v.array(text(20)), v.maxLength(mostPlatforms)),
  current: v.boolean(),
});

/** GET users/sessions: the caller's own sessions that can be renewed, the last refreshed first (D5). */
export const listSessions = operation({
  name: "list-sessions",
  summary: "Lists the caller's live sessions, the latest refreshed first",
  method: "GET",
  path: "/api/v1/users/sessions",
  access: everyRole,
  keys: "closed",
  answer: session,
  list: "sessions",
});

const sessionIdForm = /^[A-Za-z0-9_-]{1,64}$/;

/** The id of a session in a path; undefined for other text, which identifies no session. */
const sessionId = v.pipe(
  v.string(),
  v.metadata({ maxLength: 64, pattern: sessionIdForm.source }),
  v.transform((value) => (sessionIdForm.test(value) ? value : undefined)),
);

/** DELETE users/sessions/{id}: ends one of the caller's own sessions (D5). */
export const endSession = operation({
  name: "end-session",
  summary: "Signs the caller out in another place",
  method: "DELETE",
  path: "/api/v1/users/sessions/{id}",
  access: everyRole,
  needsSession: "unless_own",
  keys: "closed",
  parameters: v.object({ id: sessionId }),
  answer: v.object({}),
  refusals: ["record_not_found"],
});
