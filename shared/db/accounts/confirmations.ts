import { afterRightPin } from "../../domain/guessing/pin-flow.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import { updateOf } from "../table/updates.ts";
import { type Guesser, loginExpiry, loginGuessesKey } from "./guesses.ts";
import { confirmLogin, createLogin } from "./logins.ts";
import type { PinTry } from "./pin-tries.ts";
import { spend } from "./pins.ts";
import { putResetToken } from "./reset-tokens.ts";
import { createUser, giveResetToken } from "./users.ts";

/**
 * Access patterns P3 and P4: spends a pin that fits, and stores the reset token that replaces the user's earlier one;
 * confirms the login, or with the pin of a registration makes its user, all or nothing. False when the pin was spent or
 * replaced meanwhile, or the login of a registration was taken (D13, D14, D16). One transaction of 5 writes.
 */
export async function spendPin(
  login: string,
  pin: PinTry,
  guesser: Guesser,
  resetHash: string,
  now: Date,
): Promise<boolean> {
  const { id } = pin.user;
  const confirming = pin.registers
    ? [createLogin(login, id, now), createUser(pin.user, resetHash)]
    : [confirmLogin(login, id, now), giveResetToken(id, resetHash)];
  const spending = [spend(login, pin.hash, guesser.by, now), closeTries(guesser.loginHash, pin.askedAt, now)];
  const failed = await transact([...spending, ...confirming, putResetToken(id, resetHash, pin.testCompanyId, now)]);
  return failed.length === 0;
}

/** The write that forgets a login's tries of pins, whatever was counted meanwhile. */
function closeTries(loginHash: string, askedAt: number, now: Date): TransactionWrite {
  const set = { ...afterRightPin(askedAt), expires_at: loginExpiry(now) };
  return { Update: updateOf(loginGuessesKey(loginHash), { set, add: { revision: 1 } }) };
}
