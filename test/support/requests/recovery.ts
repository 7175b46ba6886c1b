import { handler as confirmHandler } from "../../../functions/accounts/confirm-login-by-body.ts";
import { handler as requestHandler } from "../../../functions/accounts/request-password-reset.ts";
import { handler as setPasswordHandler } from "../../../functions/accounts/set-password.ts";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import { confirmLoginByBody, requestPasswordReset, setPassword } from "../../../shared/contract/accounts.ts";
import { signIn } from "../../../shared/contract/sessions.ts";
import { call, type TestAnswer } from "./call.ts";
import { deliverPins } from "./pins.ts";

/** Asks for a pin of a login and has it delivered. */
export async function requestPin(login: string, from?: string): Promise<TestAnswer> {
  const answer = await call(requestHandler, requestPasswordReset, { body: { user: { login } }, ...(from && { from }) });
  await deliverPins();
  return answer;
}

/** Confirms a login with a pin. */
export function confirmPin(login: string, pin: string, from?: string): Promise<TestAnswer> {
  return call(confirmHandler, confirmLoginByBody, { body: { user: { login, pin } }, ...(from && { from }) });
}

/** Sets a password with a reset token. */
export function setNewPassword(token: string, password: string, from?: string): Promise<TestAnswer> {
  const user = { reset_password_token: token, password, password_confirmation: password };
  return call(setPasswordHandler, setPassword, { body: { user }, ...(from && { from }) });
}

/** Signs in with a password. */
export function signInWith(login: string, password: string): Promise<TestAnswer> {
  return call(signInHandler, signIn, { body: { user: { login, password } } });
}
