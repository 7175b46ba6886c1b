import { transact } from "../table/transaction.ts";
import { confirmLogin, createLogin } from "./logins.ts";
import { type PinTry, type Registration, spend } from "./pins.ts";
import { putResetToken } from "./reset-tokens.ts";
import { createUser, giveResetToken } from "./users.ts";

/**
 * Access pattern P3: spends a pin that fits, confirms the login and stores the reset token that replaces the user's
 * earlier one, all or nothing. False when the pin was spent or replaced meanwhile (D13, D14). One transaction of 4 writes.
 */
export async function spendPin(login: string, pin: PinTry, resetHash: string, now: Date): Promise<boolean> {
  const { id } = pin.user;
  const failed = await transact([
    spend(login, pin, now),
    confirmLogin(login, id, now),
    giveResetToken(id, resetHash),
    putResetToken(id, resetHash, now),
  ]);
  return failed.length === 0;
}

/**
 * Access pattern P4: spends the pin of a registration and makes its user, all or nothing. False when the pin was spent or
 * replaced, or the login was taken meanwhile (D16). One transaction of 4 writes.
 */
export async function spendRegistrationPin(
  login: string,
  pin: PinTry,
  { password_hash }: Registration,
  resetHash: string,
  now: Date,
): Promise<boolean> {
  const { id } = pin.user;
  const failed = await transact([
    spend(login, pin, now),
    createLogin(login, id, now),
    createUser(pin.user, { password_hash }, resetHash),
    putResetToken(id, resetHash, now),
  ]);
  return failed.length === 0;
}
