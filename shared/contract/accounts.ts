import * as v from "valibot";
import { everyRole, operation } from "./operation.ts";
import { password } from "./password.ts";
import { loginText, pinText, user } from "./users.ts";
import { text, timestamp } from "./values.ts";

/** The tokens a user signs in with: the access token's life in seconds, and the token that renews it (D5). */
const issuedToken = v.object({
  access_token: text(4096),
  token_type: v.literal("Bearer"),
  expires_in: v.pipe(v.number(), v.integer()),
  refresh_token: text(200),
});

/** A password as it is typed to sign in: any that could ever have been set. */
const typedPassword = text(256);

const shownUser = v.object({ user });

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

/** PUT users/password: sets a password with the reset token of a confirmation (D14, D15). */
export const setPassword = operation({
  name: "set-password",
  summary: "Sets a new password with a reset token",
  method: "PUT",
  path: "/api/v1/users/password",
  access: "anyone",
  body: {
    object: "user",
    fields: v.pipe(
      v.object({ reset_password_token: text(4096), password, password_confirmation: text(256) }),
      v.forward(
        v.partialCheck(
          [["password"], ["password_confirmation"]],
          (fields) => fields.password === fields.password_confirmation,
          "must be the same as password",
        ),
        ["password_confirmation"],
      ),
    ),
  },
  answer: shownUser,
  refusals: ["reset_token_invalid"],
});

/** POST users: starts a registration, which its pin completes; the answer is the same for taken logins (D16). */
export const registerUser = operation({
  name: "register-user",
  summary: "Starts a registration and sends a pin",
  method: "POST",
  path: "/api/v1/users",
  access: "anyone",
  body: {
    object: "user",
    fields: v.object({ login: loginText, password, first_name: text(200), last_name: text(200) }),
  },
  answer: v.object({ user: v.object({ ...user.entries, pin_valid_to: timestamp }) }),
  refusals: ["route_not_found", "country_not_served", "too_many_requests"],
});

/** POST users/confirmation: spends a pin without a secret in the URL (D13). */
export const confirmLoginByBody = operation({
  name: "confirm-login-by-body",
  summary: "Confirms a login with the pin that was sent to it, in the body",
  method: "POST",
  path: "/api/v1/users/confirmation",
  access: "anyone",
  body: { object: "user", fields: v.object({ login: loginText, pin: pinText }) },
  answer: v.object({ user: v.object({ ...user.entries, reset_password_token: text(64) }) }),
  refusals: ["pin_invalid", "too_many_requests"],
});

/** GET users/me: the caller's own profile (D37). */
export const getProfile = operation({
  name: "get-profile",
  summary: "Shows the caller's own profile",
  method: "GET",
  path: "/api/v1/users/me",
  access: everyRole,
  answer: shownUser,
});
