import { Refusal } from "../contract/refusals.ts";
import { findCompany } from "../records/companies.ts";
import { byUser } from "../run/change.ts";
import { count } from "../run/log.ts";
import type { WriteContext } from "../table/plans.ts";
import { paces, retry } from "../table/retry.ts";
import { transact } from "../table/writes.ts";
import { hashToken, hmacKey } from "../tokens/secrets.ts";
import { clientOfSubject, subjectOf } from "./limits.ts";
import { createLogin, markLoginConfirmed } from "./logins.ts";
import { type PinCompare, type StoredPin, spend, tryPins, unusablePinHash, verifyPin, wasSpentFrom } from "./pins.ts";
import { putResetToken, resetTokenOf } from "./reset.ts";
import { registeredUser, type ShownUser } from "./shown-user.ts";
import type { Login } from "./typed-login.ts";
import {
  createUser,
  findAccount,
  findStoredUser,
  giveResetToken,
  nobody,
  type StoredUser,
  toUser,
  type User,
} from "./users.ts";

/** The right pin of a login, and its user. */
interface ConfirmedPin {
  readonly pin: StoredPin;
  readonly user: User;
  /** The same as the table has it; undefined if the user comes into being with this pin. */
  readonly stored: StoredUser | undefined;
  /** True if the same client spent it within the last minute (D13). */
  readonly isRepeated: boolean;
}

/** The client that spends a pin, by a keyed hash, and the hash of the reset token that it gets. */
interface Spending {
  readonly client: string;
  readonly resetHash: string;
}

/**
 * Access pattern P8: spends a pin that fits, and stores the reset token that replaces the user's earlier one; confirms the login,
 * or with the pin of a registration makes its user, all or nothing. False if the pin was spent or replaced meanwhile, or the
 * login of a registration was taken (D13, D14, D16). One transaction of 4 writes; if others write the user meanwhile, one more
 * each time, and one read unit.
 */
export async function spendPin(
  login: string,
  { pin, user, stored: read }: ConfirmedPin,
  { client, resetHash }: Spending,
  context: WriteContext,
): Promise<boolean> {
  const { id } = user;
  const { now } = context;
  return retry(paces.record, async (count) => {
    const stored = !read || count === 0 ? read : await findStoredUser(id);
    if (read && !stored) return false;
    const ofLogin = stored ? markLoginConfirmed(login, id, now) : createLogin(login, id, now);
    const ofUser = stored ? giveResetToken(stored, resetHash, context) : createUser(user, resetHash, context);
    const token = putResetToken(id, resetHash, now);
    const failed = await transact([ofUser, ofLogin, spend(pin, client, now), token]);
    const isUserAlone = failed.length === 1 && failed[0] === 0;
    return isUserAlone && stored ? undefined : failed.length === 0;
  });
}

/** A user whose login was confirmed, with the token that sets their password (D13, D14). */
type ConfirmedUser = ShownUser & { readonly reset_password_token: string };

/**
 * Confirms a login with its pin, or refuses every fault as `pin_invalid`. A try of a short pin is counted, right or wrong; the
 * right pin again from the same client within a minute is answered again (D10, D13). Three round trips, 3 read units.
 */
export async function confirm(
  login: Login,
  pin: string,
  address: string,
  context: WriteContext,
): Promise<ConfirmedUser> {
  const { now } = context;
  const key = await hmacKey();
  const client = await clientOfSubject("pin", login.value, address);
  const isRight: PinCompare = (stored) => verifyPin(pin, stored?.user_id ?? nobody, stored ?? unusablePinHash, key);
  const guess = { login: await subjectOf("pin", login.value), client, isRight };
  const tried = await tryPins(guess, now);
  const [isAdmitted, confirmed] = await Promise.all([tried.isAdmitted, tried.pin && findConfirmed(login, tried.pin)]);
  if (!isAdmitted || !confirmed) refusePin();

  const { user } = confirmed;
  const resetToken = resetTokenOf(pin, user.id, confirmed.pin, key);
  const [isAnswered, company] = await Promise.all([
    spendOnce(login.value, confirmed, client, hashToken(resetToken), context),
    findCompany(user.financial_company_id),
  ]);
  if (!isAnswered) refusePin();
  return { ...user, company, reset_password_token: resetToken };
}

/** Finds the user of the right pin, or the one that comes into being with it; undefined if there is none (D9, D16). */
async function findConfirmed({ value }: Login, pin: StoredPin): Promise<ConfirmedPin | undefined> {
  const { sk, user_id: id = nobody, spent_at } = pin;
  const isRepeated = spent_at !== undefined;
  const registers = sk === "REGISTRATION" && !isRepeated;
  // Who registered with this pin may have come into being a moment ago.
  const stored = registers ? undefined : await findStoredUser(id, { consistent: isRepeated });
  const user = registers ? registeredUser(id, value) : stored && toUser(stored);
  return user && { pin, user, stored, isRepeated };
}

/** Spends a pin. True as well if this client spent it within the last minute and its reset token still counts (D13). */
async function spendOnce(
  login: string,
  confirmed: ConfirmedPin,
  client: string,
  resetHash: string,
  context: WriteContext,
): Promise<boolean> {
  const { pin, user, isRepeated } = confirmed;
  const writing = { ...context, change: byUser(context.change, user.id) };
  if (!isRepeated && (await spendPin(login, confirmed, { client, resetHash }, writing))) return true;
  const [isOwn, account] = await Promise.all([wasSpentFrom(pin, client, context.now), findAccount(user.id)]);
  return isOwn && account?.resetHash === resetHash;
}

/** Every kind of wrong pin counts as one failure: guessing shows in their number. */
function refusePin(): never {
  count("PinFailures", {});
  throw new Refusal("pin_invalid", "The pin is wrong, expired or spent; check the digits, or request a pin");
}
