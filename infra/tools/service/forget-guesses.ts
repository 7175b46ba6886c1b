import { passwordLimits } from "../../../functions/sessions/sign-in.ts";
import { forgetCount, limitSubjectOf, subjectOf } from "../../../shared/people/limits.ts";
import { findUserIdOfLogin } from "../../../shared/people/logins.ts";
import { passcodeLimits } from "../../../shared/people/passcodes.ts";
import { forgetPins } from "../../../shared/people/pins.ts";
import { findAccountWith, nobody } from "../../../shared/people/users.ts";

/**
 * Forgets all that was guessed at a login today, and the wrong passcodes of its user (D10, D15, D19). Returns whether a
 * user has the login.
 */
export async function forgetGuesses(login: string, now: Date): Promise<boolean> {
  const userId = await findUserIdOfLogin(login);
  const account = await findAccountWith("passcode", userId ?? nobody);
  const pin = await subjectOf("pin", login);
  const password = await limitSubjectOf(passwordLimits.ofLogin, login);
  const limits = account?.hash === undefined ? [] : Object.values(await passcodeLimits(account.user.id, account.hash));
  await Promise.all([forgetPins(pin), ...[password, ...limits].map((limited) => forgetCount(limited, now))]);
  return userId !== undefined;
}
