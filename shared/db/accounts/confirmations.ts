import { transact } from "../table/transaction.ts";
import { confirmLogin, createLogin } from "./logins.ts";
import { type PinTry, spend } from "./pins.ts";
import { putResetToken } from "./reset-tokens.ts";
import { createUser, giveResetToken } from "./users.ts";

/**
 * Access patterns P3 and P4: spends a pin that fits, and stores the reset token that replaces the user's earlier one;
 * confirms the login, or with the pin of a registration makes its user, all or nothing. False when the pin was spent or
 * replaced meanwhile, or the login of a registration was taken (D13, D14, D16). One transaction of 4 writes.
 */
export async function spendPin(login: string, pin: PinTry, resetHash: string, now: Date): Promise<boolean> {
  const { user, registration } = pin;
  const confirming = registration
    ? [createLogin(login, user.id, now), createUser(user, registration.password_hash, resetHash)]
    : [confirmLogin(login, user.id, now), giveResetToken(user.id, resetHash)];
  const failed = await transact([spend(login, pin, now), ...confirming, putResetToken(user.id, resetHash, now)]);
  return failed.length === 0;
}
