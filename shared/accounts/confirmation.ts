import { byUser } from "../contract/operation.ts";
import { Refusal } from "../contract/refusals.ts";
import { findAccount } from "../db/accounts/accounts.ts";
import { type ConfirmedPin, spendPin } from "../db/accounts/confirmations.ts";
import { type PinCompare, type StoredPin, tryPins, wasSpentFrom } from "../db/accounts/pins.ts";
import { findStoredUser, nobody, toUser } from "../db/accounts/users.ts";
import type { Login } from "../domain/accounts/login.ts";
import { unusablePinHash, verifyPin } from "../domain/accounts/pin.ts";
import { resetTokenOf } from "../domain/accounts/reset-token.ts";
import { registeredUser } from "../domain/accounts/shown-users.ts";
import { findCompany } from "../records/companies.ts";
import { count } from "../run/log.ts";
import type { WriteContext } from "../table/plans.ts";
import { hashToken, hmacKey } from "../tokens/secrets.ts";
import type { ShownUser } from "./shown-user.ts";
import { clientOfSubject, subjectOf } from "./subjects.ts";

/** A user whose login was confirmed, with the token that sets their password (D13, D14). */
export type ConfirmedUser = ShownUser & { readonly reset_password_token: string };

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
