import { handler as tryPinHandler } from "../../../functions/accounts/confirm-login-by-body.ts";
import { handler as registerHandler } from "../../../functions/accounts/register-user.ts";
import { handler as askPinHandler } from "../../../functions/accounts/request-password-reset.ts";
import { handler as setPasswordHandler } from "../../../functions/accounts/set-password.ts";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import {
  confirmLoginByBody,
  registerUser,
  requestPasswordReset,
  setPassword,
} from "../../../shared/contract/accounts.ts";
import { signIn } from "../../../shared/contract/sessions.ts";
import type { Service } from "../service/service.ts";
import { call, type TestAnswer } from "./call.ts";
import { askForPin, deliverPins } from "./pins.ts";

/** The client that a request comes from: an address, of its own unless given, and a proof of an earlier session. */
export interface Client {
  readonly from?: string | undefined;
  readonly proof?: string | undefined;
}

/** Registers a login with password and names; `fields` are sent instead or beside. */
export function register(login: unknown, fields: object = {}, client: Client = {}): Promise<TestAnswer> {
  const user = { login, password: "seven quiet harbours", first_name: "Ada", last_name: "Holt", ...fields };
  return call(registerHandler, registerUser, { ...requestOf(client), body: { user } });
}

/** Asks for a pin of a login, and leaves it in the queue. */
export function askPin(login: unknown, client: Client = {}): Promise<TestAnswer> {
  return call(askPinHandler, requestPasswordReset, { ...requestOf(client), body: { user: { login } } });
}

/** Asks for a pin of a login and has it delivered. */
export async function requestPin(login: string, client: Client = {}): Promise<TestAnswer> {
  const answer = await askPin(login, client);
  await deliverPins();
  return answer;
}

/** Tries a pin of a login. */
export function tryPin(login: string, pin: string, client: Client = {}): Promise<TestAnswer> {
  return call(tryPinHandler, confirmLoginByBody, { ...requestOf(client), body: { user: { login, pin } } });
}

/** The reset token that a login gets for a pin, which is asked for as often as a test needs to. */
export async function resetTokenOf(service: Service, login: string): Promise<string> {
  return (await tryPin(login, await askForPin(service, login))).body.user.reset_password_token;
}

/** Sets a password with a reset token; `fields` are sent instead or beside. */
export function setNewPassword(
  token: unknown,
  password: unknown,
  fields: object = {},
  from?: string,
): Promise<TestAnswer> {
  const user = { reset_password_token: token, password, password_confirmation: password, ...fields };
  return call(setPasswordHandler, setPassword, { ...requestOf({ from }), body: { user } });
}

/** Tries a password of a login. */
export function tryPassword(login: string, password: string, client: Client = {}): Promise<TestAnswer> {
  return call(signInHandler, signIn, { ...requestOf(client), body: { user: { login, password } } });
}

function requestOf({ from, proof }: Client) {
  return { ...(from && { from }), ...(proof && { headers: { "known-client": proof } }) };
}
