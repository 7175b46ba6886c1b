import { findAccount } from "../db/accounts/accounts.ts";
import { findUserIdOfLogin } from "../db/accounts/logins.ts";
import { findSession } from "../db/accounts/sessions.ts";
import { findDeviceOwner } from "../db/notifications/device-owners.ts";
import { findDevice, isRegistered } from "../db/notifications/devices.ts";
import type { Login } from "../domain/accounts/login.ts";
import { isProofOfSession, parseRefreshToken, type RefreshToken } from "../domain/accounts/refresh-token.ts";
import { hashToken } from "../domain/token-hash.ts";
import { hmacKey } from "../secrets.ts";

/**
 * True where a client proves an earlier session of a login: with the last refresh token of a session, expired or not, or with
 * a device token of the login's user; neither of before a new password, nor of a session that was ended from another one (D10, D14). Without a proof it reads nothing. A proof
 * that is not the user's costs the same for known and unknown logins.
 */
export async function isKnownClient(login: Login, proof: string | undefined): Promise<boolean> {
  if (proof === undefined) return false;
  const token = parseRefreshToken(proof);
  return token ? isOwnSession(login, token) : isOwnDevice(login, proof);
}

async function isOwnSession({ value }: Login, token: RefreshToken): Promise<boolean> {
  const [owner, session, account, key] = await Promise.all([
    findUserIdOfLogin(value),
    findSession(token.userId, token.family),
    findAccount(token.userId),
    hmacKey(),
  ]);
  if (owner !== token.userId || !session || session.epoch !== account?.epoch) return false;
  return isProofOfSession(token, session, key);
}

async function isOwnDevice({ value }: Login, deviceToken: string): Promise<boolean> {
  const [userId, owner] = await Promise.all([
    findUserIdOfLogin(value),
    findDeviceOwner(hashToken(deviceToken), { consistent: false }),
  ]);
  if (userId === undefined || owner?.user_id !== userId) return false;
  const [device, account] = await Promise.all([findDevice(userId, owner.id), findAccount(userId)]);
  return device !== undefined && account !== undefined && isRegistered(device, account);
}
