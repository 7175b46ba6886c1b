import { isTestUser } from "../../domain/accounts/test-user.ts";
import { afterRightPin } from "../../domain/guessing/pin-flow.ts";
import { paces, retry } from "../table/retry.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import { updateOf } from "../table/updates.ts";
import type { WriteContext } from "../writes/write-plans.ts";
import { type Guesser, loginExpiry, loginGuessesKey } from "./guesses.ts";
import { confirmLogin, createLogin } from "./logins.ts";
import type { PinTry } from "./pin-tries.ts";
import { spend } from "./pins.ts";
import { putResetToken } from "./reset-tokens.ts";
import { createUser, findStoredUser, giveResetToken, type StoredUser, toUser } from "./users.ts";

/**
 * Access patterns P3 and P4: spends a pin that fits, and stores the reset token that replaces the user's earlier one;
 * confirms the login, or with the pin of a registration makes its user, all or nothing. False when the pin was spent or
 * replaced meanwhile, or the login of a registration was taken (D13, D14, D16). One transaction of 5 writes; where others write the
 * user meanwhile, one more each time, and one read unit.
 */
export async function spendPin(
  login: string,
  pin: PinTry,
  guesser: Guesser,
  resetHash: string,
  context: WriteContext,
): Promise<boolean> {
  const { id } = pin.user;
  const { now } = context;
  return retry(paces.record, async (count) => {
    const stored = pin.registers || count === 0 ? pin.stored : await findStoredUser(id);
    if (!pin.registers && !(stored && mayHave(pin, stored))) return false;
    const spending = [spend(login, pin.hash, guesser.by, now), closeTries(guesser.loginHash, pin.askedAt, now)];
    const ofLogin = stored ? confirmLogin(login, id, now) : createLogin(login, id, now);
    const ofUser = stored ? giveResetToken(stored, resetHash, context) : createUser(pin.user, resetHash, context);
    const failed = await transact([ofUser, ofLogin, ...spending, putResetToken(id, resetHash, pin.testCompanyId, now)]);
    const isUserAlone = failed.length === 1 && failed[0] === 0;
    return isUserAlone && stored ? undefined : failed.length === 0;
  });
}

/** False for a user who became a stranger to the test logins since the try (D9). */
function mayHave({ testCompanyId }: PinTry, stored: StoredUser): boolean {
  return testCompanyId === undefined || isTestUser(testCompanyId, toUser(stored));
}

/** The write that forgets a login's tries of pins, whatever was counted meanwhile. */
function closeTries(loginHash: string, askedAt: number, now: Date): TransactionWrite {
  const set = { ...afterRightPin(askedAt), expires_at: loginExpiry(now) };
  return { Update: updateOf(loginGuessesKey(loginHash), { set, add: { revision: 1 } }) };
}
