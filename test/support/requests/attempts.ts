import { handler as confirmHandler } from "../../../functions/accounts/confirm-login-by-body.ts";
import { handler as requestHandler } from "../../../functions/accounts/request-password-reset.ts";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import { confirmLoginByBody, requestPasswordReset } from "../../../shared/contract/accounts.ts";
import { signIn } from "../../../shared/contract/sessions.ts";
import { call, type TestAnswer } from "./call.ts";

/** The client that an attempt comes from: an address, of its own unless given, and a proof of an earlier session. */
export interface Client {
  readonly from?: string | undefined;
  readonly proof?: string | undefined;
}

/** Asks for a pin of a login, and leaves it in the queue. */
export function askPin(login: string, client: Client = {}): Promise<TestAnswer> {
  return call(requestHandler, requestPasswordReset, { ...requestOf(client), body: { user: { login } } });
}

/** Tries a pin of a login. */
export function tryPin(login: string, pin: string, client: Client = {}): Promise<TestAnswer> {
  return call(confirmHandler, confirmLoginByBody, { ...requestOf(client), body: { user: { login, pin } } });
}

/** Tries a password of a login. */
export function tryPassword(login: string, password: string, client: Client = {}): Promise<TestAnswer> {
  return call(signInHandler, signIn, { ...requestOf(client), body: { user: { login, password } } });
}

function requestOf({ from, proof }: Client) {
  return { ...(from && { from }), ...(proof && { headers: { "known-client": proof } }) };
}
