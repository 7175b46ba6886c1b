import * as v from "valibot";
import { company } from "./companies.ts";
import { everyRole, operation, roles } from "./operation.ts";
import {
  id,
  invisible,
  locale,
  longestPassword,
  normalPassword,
  oneLine,
  oneLineOrEmpty,
  optionalField,
  password,
  text,
  timestamp,
  trimmed,
  typedDigits,
  typedText,
} from "./values.ts";

/** A user as the interface shows it, without the fields that only one answer each has. */
export const user = v.object({
  id,
  company: v.nullable(company),
  contact_phone_number: v.nullable(oneLine(40)),
  email: v.nullable(text(320)),
  financial_company_id: v.nullable(id),
  first_name: oneLineOrEmpty(200),
  job_position: v.nullable(oneLine(200)),
  last_name: oneLineOrEmpty(200),
  phone_number: v.nullable(text(40)),
  profile_id: v.nullable(id),
  role: v.picklist(roles),
});

/** A user as the table has it, and as users see themselves: with their language (D45). */
export const profile = v.object({
  ...user.entries,
  // Not an enumeration, because this release may read a language that a later release stored (D38).
  locale: v.nullable(text(35)),
});

/** A login as a user types it: an e-mail address or a phone number, in any form (D7). */
export const loginText = text(320);

/** A login in a query string, in which an unescaped plus sign arrives as a space. No login contains a space. */
const loginParameter = v.pipe(
  loginText,
  v.transform((value) =>
    typedText(value).includes("@")
      ? trimmed(value).replaceAll(" ", "+")
      : value.replaceAll(invisible, "").replace(/^(\p{Ps}?) (?=\p{Nd})/u, "$1+"),
  ),
);

/** Digits of a pin (D9). */
export const pinDigits = 6;

/** Digits of a long pin: one that is asked for while short ones are used up (D10). */
export const longPinDigits = 12;

/** A pin as people type it, in groups or not (D9). */
const pinText = v.pipe(
  typedDigits,
  // Flags keep the pattern, which typed text need not match, out of the document.
  v.regex(
    new RegExp(`^([0-9]{${pinDigits}}|[0-9]{${longPinDigits}})$`, "u"),
    `must be ${pinDigits} or ${longPinDigits} digits`,
  ),
);

/** A user, and the time until which the sent pin is valid. */
export const userAwaitingPin = v.object({ ...user.entries, pin_valid_to: timestamp });

/** A user whose login was confirmed by a pin, with the token that sets a password. */
export const confirmedUser = v.object({ ...user.entries, reset_password_token: text(64) });

/**
 * POST users/password: sends a pin. It reveals to an anonymous caller nothing that the caller did not send (D7–D12).
 */
export const requestPasswordReset = operation({
  name: "request-password-reset",
  summary: "Sends a pin by e-mail or SMS to start a password reset",
  method: "POST",
  path: "/api/v1/users/password",
  access: "anyone",
  body: { object: "user", fields: v.object({ login: loginText }) },
  answer: v.object({ user: userAwaitingPin }),
  refusals: ["login_not_found", "country_not_served"],
});

/** GET users/confirmation: spends a pin (D10, D13). */
export const confirmLogin = operation({
  name: "confirm-login",
  summary: "Confirms a login by a link, with the pin in its query string",
  method: "GET",
  path: "/api/v1/users/confirmation",
  access: "anyone",
  query: v.object({ login: loginParameter, pin: pinText }),
  answer: v.object({ user: confirmedUser }),
  refusals: ["pin_invalid"],
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
      v.object({
        reset_password_token: text(4096),
        password,
        password_confirmation: text(longestPassword),
        // Only for users who have no names yet; others' names come from elsewhere (D16).
        first_name: optionalField(oneLine(200)),
        last_name: optionalField(oneLine(200)),
        locale: optionalField(locale),
      }),
      v.forward(
        v.partialCheck(
          [["password"], ["password_confirmation"]],
          (fields) => normalPassword(fields.password) === normalPassword(fields.password_confirmation),
          "must be the same as password",
        ),
        ["password_confirmation"],
      ),
    ),
  },
  answer: v.object({ user }),
  refusals: ["reset_token_invalid"],
});

/** POST users: starts a registration, which its pin completes. The answer is the same if the login is taken (D16). */
export const registerUser = operation({
  name: "register-user",
  summary: "Starts a registration and sends a pin",
  method: "POST",
  path: "/api/v1/users",
  access: "anyone",
  body: {
    object: "user",
    fields: v.object({ login: loginText, password, first_name: oneLine(200), last_name: oneLine(200) }),
  },
  answer: v.object({ user: userAwaitingPin }),
  refusals: ["route_not_found", "country_not_served", "too_many_requests"],
});

/** POST users/confirmation: spends a pin without putting a secret into the URL (D13). */
export const confirmLoginByBody = operation({
  name: "confirm-login-by-body",
  summary: "Confirms a login with the pin that was sent to it",
  method: "POST",
  path: "/api/v1/users/confirmation",
  access: "anyone",
  body: { object: "user", fields: v.object({ login: loginText, pin: pinText }) },
  answer: v.object({ user: confirmedUser }),
  refusals: ["pin_invalid"],
});

/** GET users/me: the caller's own profile (D37). */
export const getProfile = operation({
  name: "get-profile",
  summary: "Shows the caller's own profile",
  method: "GET",
  path: "/api/v1/users/me",
  access: everyRole,
  keys: "read",
  answer: v.object({ user: profile }),
});
