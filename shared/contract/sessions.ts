import * as v from "valibot";
import { loginText, user } from "./accounts.ts";
import { everyRole, operation } from "./operation.ts";
import { text } from "./values.ts";

/** The tokens a user signs in with: the access token's life in seconds, and the token that renews it (D5). */
const issuedToken = v.object({
  access_token: text(4096),
  token_type: v.literal("Bearer"),
  expires_in: v.pipe(v.number(), v.integer()),
  refresh_token: text(200),
});

/** A password as it is typed to sign in: any that could ever have been set. */
const typedPassword = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(256),
  v.check((value) => value.isWellFormed() && !value.includes("\0"), "must be well-formed text without NUL"),
);

/** POST users/sign_in: a login and its password become tokens (D5, D15). */
export const signIn = operation({
  name: "sign-in",
  summary: "Signs in with a login and a password",
  method: "POST",
  path: "/api/v1/users/sign_in",
  access: "anyone",
  body: { object: "user", fields: v.object({ login: loginText, password: typedPassword }) },
  answer: v.object({ user, token: issuedToken }),
  answersBearer: true,
  takesClientProof: true,
  refusals: ["login_invalid", "too_many_requests"],
});

/** POST users/token: a refresh token is spent for new tokens (D5). */
export const refreshToken = operation({
  name: "refresh-token",
  summary: "Renews the access token",
  method: "POST",
  path: "/api/v1/users/token",
  access: "anyone",
  body: { object: "token", fields: v.object({ refresh_token: text(4096) }) },
  answer: v.object({ token: issuedToken }),
  answersBearer: true,
  refusals: ["refresh_token_invalid"],
});

/** DELETE users/sign_out: ends the session that the access token belongs to (D5). */
export const signOut = operation({
  name: "sign-out",
  summary: "Ends the caller's session",
  method: "DELETE",
  path: "/api/v1/users/sign_out",
  access: everyRole,
  answer: v.object({}),
});
