import { askPin, register, tryPassword, tryPin } from "../../../support/requests/accounts.ts";
import type { TestAnswer } from "../../../support/requests/call.ts";
import { deliverPins, useUpShortPins } from "../../../support/requests/pins.ts";

/** A request of a stranger for a login that may be known. */
export interface AnonymousFlow {
  readonly name: string;
  /** Its status for known and unknown logins. */
  readonly status: number;
  send(login: string): Promise<TestAnswer>;
  /** Done once for all logins, known and unknown, before any is sent. */
  prepare?(logins: readonly string[]): Promise<void>;
}

/** A proof that proves nothing of any login: the service looks for it all the same (D10). */
const stranger = { proof: "a-device-that-nobody-has" };

const reset: AnonymousFlow = {
  name: "a password request",
  status: 200,
  send: (login) => askPin(login),
};

const registration: AnonymousFlow = {
  name: "a registration",
  status: 200,
  send: (login) => register(login),
};

const wrongPin: AnonymousFlow = {
  name: "a wrong pin while none is live",
  status: 422,
  send: (login) => tryPin(login, "000000"),
};

/** The flows whose answers must not distinguish a known login from an unknown one, by their time either. */
export const anonymousFlows: readonly AnonymousFlow[] = [
  {
    name: "a sign-in",
    status: 401,
    send: (login) => tryPassword(login, "not the password"),
  },
  {
    name: "a sign-in with another's proof",
    status: 401,
    send: (login) => tryPassword(login, "not the password", stranger),
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
  reset,
  { ...reset, name: "a password request with another's proof", send: (login) => askPin(login, stranger) },
  registration,
];
