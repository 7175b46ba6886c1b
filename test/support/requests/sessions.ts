import { handler as registerDeviceHandler } from "../../../functions/devices/register-device-token.ts";
import { handler as refreshHandler } from "../../../functions/sessions/refresh-token.ts";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import { handler as signOutHandler } from "../../../functions/sessions/sign-out.ts";
import { registerDeviceToken } from "../../../shared/contract/devices.ts";
import { refreshToken, signIn, signOut } from "../../../shared/contract/sessions.ts";
import { call, type TestAnswer } from "./call.ts";

/** The tokens of a session. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Signs a user in. */
export async function signInAs(login: string, password: string): Promise<Tokens> {
  return (await call(signInHandler, signIn, { body: { user: { login, password } } })).body.token;
}

/** Exchanges a refresh token, or what is sent as one. */
export function refreshWith(refresh_token: unknown): Promise<TestAnswer> {
  return call(refreshHandler, refreshToken, { body: { token: { refresh_token } } });
}

/** Signs out of the session of the tokens. */
export function signOutOf(tokens: Pick<Tokens, "access_token">): Promise<TestAnswer> {
  return call(signOutHandler, signOut, bearerOf(tokens));
}

/** Registers a device in the session of the tokens. */
export function registerDevice(tokens: Pick<Tokens, "access_token">, notification: object): Promise<TestAnswer> {
  return call(registerDeviceHandler, registerDeviceToken, { ...bearerOf(tokens), body: { notification } });
}

/** The part of a request that says whose it is. */
export function bearerOf({ access_token }: Pick<Tokens, "access_token">) {
  return { headers: { authorization: `Bearer ${access_token}` } };
}

/** The id of the session that tokens are of. */
export function familyOf({ refresh_token }: Pick<Tokens, "refresh_token">): string {
  return String(refresh_token.split(".")[1]);
}
