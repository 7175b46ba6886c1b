import {
  changeClientGuesses,
  changeLoginGuesses,
  findGuesses,
  type Guesser,
  type Guesses,
  planGuess,
  replaceLoginGuesses,
} from "../db/accounts/guesses.ts";
import { refundAttempt, requireAdmitted } from "../db/accounts/throttles.ts";
import { paces, retry } from "../db/table/retry.ts";
import { transact } from "../db/table/transaction.ts";
import { afterSuccess } from "../domain/guessing/client-guesses.ts";
import { afterSignIn, knowsWithCapacity, passwordAdmittedAt, withPassword } from "../domain/guessing/login-guesses.ts";

/**
 * Counts a password before it is compared, for the login and for its client; refused as `too_many_requests` above a limit of
 * either, and counted for none then (D15). One read unit and four write units, two round trips; 14 write units for a client at
 * its limits at a login at its own.
 */
export async function countPassword(guesser: Guesser, now: Date): Promise<Guesses> {
  const at = now.getTime();
  return retry(paces.crowd, async (count) => {
    const consistent = count > 0;
    const guesses = await findGuesses(guesser, { consistent });
    const isExempt = knowsWithCapacity(guesses.login.value, guesser, at);
    const guess = { at, on: guesser.on };
    const { writes, client } = await planGuess(guesser, guesses, guess, { consistent, isExempt });
    requireAdmitted(passwordAdmittedAt(guesses.login.value, guesser, at), now);
    const login = { value: withPassword(guesses.login.value, guesser, at), revision: guesses.login.revision + 1 };
    const failed = await transact([...writes, replaceLoginGuesses(guesser.loginHash, guesses.login, login.value, now)]);
    return failed.length === 0 ? { login, client } : undefined;
  });
}

/** After a sign-in: forgets what its client failed at this login, and gives the client capacity back (D15). */
export async function forgivePassword(guesser: Guesser, { login, client }: Guesses, now: Date): Promise<void> {
  await Promise.all([
    changeLoginGuesses(guesser.loginHash, login, (guesses) => afterSignIn(guesses, guesser, now.getTime()), now),
    changeClientGuesses(guesser, client, (guesses) => afterSuccess(guesses, guesser.on), now),
    guesser.network && refundAttempt(guesser.network, now),
  ]);
}
