import { handler as confirmHandler } from "../../../../functions/accounts/confirm-login-by-body.ts";
import { handler as registerHandler } from "../../../../functions/accounts/register-user.ts";
import { handler as resetHandler } from "../../../../functions/accounts/request-password-reset.ts";
import { handler as signInHandler } from "../../../../functions/sessions/sign-in.ts";
import { confirmLoginByBody, registerUser, requestPasswordReset } from "../../../../shared/contract/accounts.ts";
import { signIn } from "../../../../shared/contract/sessions.ts";
import { call, type TestAnswer } from "../../../support/requests/call.ts";
import { deliverPins, useUpShortPins } from "../../../support/requests/pins.ts";

/** What a stranger sends for a login that may be known. */
export interface AnonymousFlow {
  readonly name: string;
  /** Its status for known and unknown logins. */
  readonly status: number;
  /** True where some of its AWS calls go out side by side, each when it is ready: in no order among them. */
  readonly isParallel?: true;
  send(login: string): Promise<TestAnswer>;
  /** Done once for all logins, known and unknown, before any is sent. */
  prepare?(logins: readonly string[]): Promise<void>;
}

const user = { password: "a harbour before dawn", first_name: "Robin", last_name: "Field" };

/** A proof that proves nothing of any login: the service looks for it all the same (D10). */
const headers = { "known-client": "a-device-that-nobody-has" };

const reset: AnonymousFlow = {
  name: "a password request",
  status: 200,
  send: (login) => call(resetHandler, requestPasswordReset, { body: { user: { login } } }),
};

const registration: AnonymousFlow = {
  name: "a registration",
  status: 200,
  isParallel: true,
  send: (login) => call(registerHandler, registerUser, { body: { user: { login, ...user } } }),
};

const wrongPin: AnonymousFlow = {
  name: "a wrong pin while none is live",
  status: 422,
  isParallel: true,
  send: (login) => call(confirmHandler, confirmLoginByBody, { body: { user: { login, pin: "000000" } } }),
};

/** The flows whose answers must not distinguish a known login from an unknown one, by their time either. */
export const anonymousFlows: readonly AnonymousFlow[] = [
  {
    name: "a sign-in",
    status: 401,
    isParallel: true,
    send: (login) => call(signInHandler, signIn, { body: { user: { login, password: "not the password" } } }),
  },
  {
    name: "a sign-in with another's proof",
    status: 401,
    isParallel: true,
    send: (login) => call(signInHandler, signIn, { headers, body: { user: { login, password: "not the password" } } }),
  },
  wrongPin,
  {
    ...wrongPin,
    name: "a wrong pin while one is live",
    prepare: async (logins) => {
      for (const login of logins) await reset.send(login);
      await deliverPins();
    },
  },
  {
    ...wrongPin,
    name: "a wrong pin while a registration waits",
    prepare: async (logins) => {
      for (const login of logins) await registration.send(login);
      await deliverPins();
    },
  },
  {
    ...wrongPin,
    name: "a wrong pin while a long one is live",
    prepare: async (logins) => {
      await useUpShortPins();
      for (const login of logins) await reset.send(login);
      await deliverPins();
    },
  },
  { ...reset, isParallel: true },
  {
    name: "a password request with another's proof",
    status: 200,
    isParallel: true,
    send: (login) => call(resetHandler, requestPasswordReset, { headers, body: { user: { login } } }),
  },
  registration,
];
