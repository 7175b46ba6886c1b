import { spendPin } from "../db/accounts/confirmations.ts";
import { tryPin } from "../db/accounts/pins.ts";
import { findCompany } from "../db/records/companies.ts";
import type { Login } from "../domain/accounts/login.ts";
import { verifyPin } from "../domain/accounts/pin.ts";
import { hashResetToken, makeResetToken } from "../domain/accounts/reset-token.ts";
import { Refusal } from "../domain/refusal.ts";
import { count } from "../metrics.ts";
import { hmacKey } from "../secrets.ts";
import type { ShownUser } from "./shown-user.ts";
import { pinTriesFrom } from "./throttles.ts";

/** A user whose login was confirmed, with the token that sets their password (D13, D14). */
export type ConfirmedUser = ShownUser & { readonly reset_password_token: string };

/**
 * Confirms a login with its pin, or refuses every fault as `pin_invalid`. The try is counted before anything is
 * compared (D10, D13). Three round trips, 3 read units.
 */
export async function confirm(login: Login, pin: string, address: string, now: Date): Promise<ConfirmedUser> {
  const attempt = await tryPin(login.value, await pinTriesFrom(address), now);
  if (!attempt || !verifyPin(pin, attempt.user.id, attempt.hash, await hmacKey())) refusePin();

  const { user } = attempt;
  const resetToken = makeResetToken();
  const resetHash = hashResetToken(resetToken);
  const [isSpent, company] = await Promise.all([
    spendPin(login.value, attempt, resetHash, now),
    findCompany(user.financial_company_id),
  ]);
  if (!isSpent) refusePin();
  return { ...user, company, reset_password_token: resetToken };
}

/** Whatever is wrong counts as one failure: guessing shows in their number. */
function refusePin(): never {
  count("PinFailures", {});
  throw new Refusal("pin_invalid", "The pin is wrong, expired or spent; request a new one");
}
