import { findUserIdOfLogin } from "../db/accounts/logins.ts";
import { findSession } from "../db/accounts/sessions.ts";
import { findAccount, nobody } from "../db/accounts/users.ts";
import { findDevices } from "../db/notifications/devices.ts";
import type { Login } from "../domain/accounts/login.ts";
import { parseRefreshToken, type RefreshToken } from "../domain/accounts/refresh-token.ts";
import { hmacKey } from "../secrets.ts";

/**
 * True where a client proves an earlier session of a login: with the last refresh token of a session that no new password
 * has ended, expired or not, or with a device token of the login's user (D10). Without a proof it reads nothing; known and
 * unknown logins cost the same.
 */
export async function isKnownClient(login: Login, proof: string | undefined): Promise<boolean> {
  if (proof === undefined) return false;
  const token = parseRefreshToken(proof, await hmacKey());
  return token ? isOwnSession(login, token) : isOwnDevice(login, proof);
}

async function isOwnSession({ value, former }: Login, { userId, family, hash }: RefreshToken): Promise<boolean> {
  const [owner, session, account] = await Promise.all([
    findUserIdOfLogin(value, former),
    findSession(userId, family),
    findAccount(userId),
  ]);
  return owner === userId && session?.refresh_hash === hash && session.epoch === account?.epoch;
}

async function isOwnDevice({ value, former }: Login, deviceToken: string): Promise<boolean> {
  const devices = await findDevices((await findUserIdOfLogin(value, former)) ?? nobody);
  return devices.some(({ token }) => token === deviceToken);
}
