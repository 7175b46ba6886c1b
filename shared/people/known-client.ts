import { comparableToken, comparableTokens } from "../contract/devices.ts";
import { findDevice, findDeviceOwner, type StoredDevice } from "../notifications/devices.ts";
import { hashToken, hmacKey } from "../tokens/secrets.ts";
import { findConfirmedUserId } from "./reset.ts";
import { findSession, isProofOfSession, parseRefreshToken, type RefreshToken, sessionProofName } from "./sessions.ts";
import type { Login } from "./typed-login.ts";
import { type Account, findAccount } from "./users.ts";

/** The user who a client proves to have been signed in as, or to have confirmed a pin of. */
interface Proof {
  readonly userId: number;
  /** Names the session or the confirmation. All that proves the same one has the same name. */
  readonly name: string;
  /** The epoch of the session; absent for a reset token. */
  readonly epoch?: number;
}

/**
 * Finds what the header `Known-Client` proves: the last refresh token of a session, expired or not; a device token; or a
 * reset token of the last hour. Undefined for any other text. It reads nothing about the login that is signed in to, so it
 * costs the same for known and unknown logins, and takes no more round trips than finding their account (D10).
 */
export async function findProof(text: string | undefined, now: Date): Promise<Proof | undefined> {
  if (text === undefined) return undefined;
  const token = parseRefreshToken(text);
  if (token) return findSessionProof(token);
  const hash = hashToken(text);
  const [confirmedId, device] = await Promise.all([findConfirmedUserId(hash, now), findDeviceProof(text)]);
  return confirmedId === undefined ? device : { userId: confirmedId, name: `confirmed|${hash}` };
}

/** True if a proof is of the account's user, and no new password has ended its session (D14). */
export function isProofOf({ userId, epoch }: Proof, account: Account): boolean {
  return userId === account.user.id && (epoch === undefined || epoch === account.epoch);
}

/**
 * True if a client proves an earlier session of the user who has a login, or that it confirmed a pin of that user. It reads
 * nothing about the login: known and unknown ones take equally long (D12).
 */
export async function isKnownClient({ value }: Login, text: string | undefined, now: Date): Promise<boolean> {
  const proof = await findProof(text, now);
  const account = proof && (await findAccount(proof.userId));
  if (!account || !isProofOf(proof, account)) return false;
  const { email, phone_number } = account.user;
  return value === email || value === phone_number;
}

async function findSessionProof(token: RefreshToken): Promise<Proof | undefined> {
  const { userId, family } = token;
  const [session, key] = await Promise.all([findSession(userId, family), hmacKey()]);
  if (!session || !isProofOfSession(token, session, key)) return undefined;
  return { userId, name: sessionProofName(userId, family), epoch: session.epoch };
}

/** A session can register many devices: they share its name, so that it gains no passwords by them. */
async function findDeviceProof(text: string): Promise<Proof | undefined> {
  const found = await Promise.all(comparableTokens(text).map(findOwnedDevice));
  const proving = found.find((each) => each && comparableToken(text, each.device.push_service) === each.device.token);
  if (!proving) return undefined;
  const { userId, device } = proving;
  return { userId, name: sessionProofName(userId, device.family ?? String(device.id)), epoch: device.epoch };
}

async function findOwnedDevice(
  token: string,
): Promise<{ readonly userId: number; readonly device: StoredDevice } | undefined> {
  const owner = await findDeviceOwner(hashToken(token), { consistent: false });
  const device = owner && (await findDevice(owner.user_id, owner.id));
  return device && { userId: owner.user_id, device };
}
