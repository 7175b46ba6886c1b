import { findAccount } from "../db/accounts/accounts.ts";
import { spendPin } from "../db/accounts/confirmations.ts";
import { changeClientGuesses, type Guesser, type Guesses } from "../db/accounts/guesses.ts";
import { type PinCompare, type PinTry, tryPin, wasSpentBy } from "../db/accounts/pin-tries.ts";
import { refundAttempt } from "../db/accounts/throttles.ts";
import { nobody } from "../db/accounts/users.ts";
import { findCompany } from "../db/records/companies.ts";
import type { WriteContext } from "../db/writes/write-plans.ts";
import type { Login } from "../domain/accounts/login.ts";
import { unusablePinHash, verifyPin } from "../domain/accounts/pin.ts";
import { resetTokenOf } from "../domain/accounts/reset-token.ts";
import { afterSuccess } from "../domain/guessing/client-guesses.ts";
import { byUser } from "../domain/records/change.ts";
import { Refusal } from "../domain/refusal.ts";
import { hashToken } from "../domain/token-hash.ts";
import { count } from "../metrics.ts";
import { hmacKey } from "../secrets.ts";
import { isKnownClient } from "./known-client.ts";
import { guesserOf } from "./requester.ts";
import type { ShownUser } from "./shown-user.ts";

/** A user whose login was confirmed, with the token that sets their password (D13, D14). */
export type ConfirmedUser = ShownUser & { readonly reset_password_token: string };

/** Who confirms: an address, and what it proves an earlier session of the login with, if anything (D10). */
interface ConfirmingClient {
  readonly address: string;
  readonly proof?: string | undefined;
}

/**
 * Confirms a login with its pin, or refuses every fault as `pin_invalid`. The try is counted, whatever it shows; the right pin again from the same client within a minute is answered again (D10, D13). Three round trips, 3
 * read units.
 */
export async function confirm(
  login: Login,
  pin: string,
  { address, proof }: ConfirmingClient,
  context: WriteContext,
): Promise<ConfirmedUser> {
  const { now } = context;
  const guesser = await guesserOf(login.value, { address, isKnown: await isKnownClient(login, proof) });
  const key = await hmacKey();
  const isRight: PinCompare = (stored) => verifyPin(pin, stored?.user_id ?? nobody, stored ?? unusablePinHash, key);
  const { pinTry, client } = await tryPin(login.value, guesser, isRight, now);
  if (!pinTry) refusePin();

  const { user } = pinTry;
  const resetToken = resetTokenOf(pin, user.id, pinTry.hash, key);
  const [isAnswered, company] = await Promise.all([
    spendOnce(login.value, pinTry, guesser, hashToken(resetToken), context),
    findCompany(user.financial_company_id),
    forgive(guesser, client, now),
  ]);
  if (!isAnswered) refusePin();
  return { ...user, company, reset_password_token: resetToken };
}

/** Gives a client back what it had failed (D10). */
async function forgive(guesser: Guesser, client: Guesses["client"], now: Date): Promise<void> {
  await Promise.all([
    changeClientGuesses(guesser, client, (guesses) => afterSuccess(guesses, guesser.on), now),
    guesser.network && refundAttempt(guesser.network, now),
  ]);
}

/** Spends a pin; true as well where this client spent it within the last minute and its reset token still counts (D13). */
async function spendOnce(
  login: string,
  pinTry: PinTry,
  guesser: Guesser,
  resetHash: string,
  context: WriteContext,
): Promise<boolean> {
  const { now } = context;
  const writing = { ...context, change: byUser(context.change, pinTry.user.id) };
  if (!pinTry.isRepeated && (await spendPin(login, pinTry, guesser, resetHash, writing))) return true;
  const [isOwn, account] = await Promise.all([wasSpentBy(login, pinTry, guesser, now), findAccount(pinTry.user.id)]);
  return isOwn && account?.resetHash === resetHash;
}

/** Whatever is wrong counts as one failure: guessing shows in their number. */
function refusePin(): never {
  count("PinFailures", {});
  throw new Refusal("pin_invalid", "The pin is wrong, expired or spent; request a new one");
}
