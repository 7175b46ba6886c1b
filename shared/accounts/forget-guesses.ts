import { findAccountWith } from "../db/accounts/accounts.ts";
import { forgetLoginGuesses } from "../db/accounts/guesses.ts";
import { findUserIdOfLogin } from "../db/accounts/logins.ts";
import { forgetAttempts } from "../db/accounts/throttles.ts";
import { nobody } from "../db/accounts/users.ts";
import { guesserOf, passcodeTriesOf } from "./requester.ts";

/** Forgets all that was guessed at a login, and the wrong passcodes of its user (D10, D15, D19). */
export async function forgetGuesses(login: string): Promise<void> {
  const { loginHash } = await guesserOf(login, { address: "", isKnown: false });
  const account = await findAccountWith("passcode", (await findUserIdOfLogin(login)) ?? nobody);
  await forgetLoginGuesses(loginHash);
  if (account?.hash === undefined) return;
  await forgetAttempts(await passcodeTriesOf(account.user.id, account.hash));
}
