import type { setPassword } from "../contract/accounts.ts";
import type { Body } from "../contract/operation.ts";
import { changePassword, findResetToken } from "../db/accounts/reset-tokens.ts";
import type { User } from "../db/accounts/users.ts";
import { findCompany } from "../db/records/companies.ts";
import { hashPassword, verifyPassword } from "../domain/accounts/password.ts";
import { afterRecovery } from "../domain/guessing/login-guesses.ts";
import { hashToken } from "../domain/token-hash.ts";
import { actAs } from "../work.ts";
import type { ShownUser } from "./shown-user.ts";
import { guesserOf } from "./throttles.ts";

/** A new password as it came in. */
interface PasswordChange {
  readonly body: Body<typeof setPassword>;
  readonly clientAddress: string;
  readonly now: Date;
}

/**
 * Spends a reset token for a new password; gives the user, who is notified of it. The same token with the same password
 * within a minute gives the user again. Undefined where the token does not count (D14).
 */
export async function changePasswordOnce(change: PasswordChange): Promise<ShownUser | undefined> {
  const resetHash = hashToken(change.body.reset_password_token);
  return (await setOnce(change, resetHash)) ?? (await findWhereSet(change, resetHash));
}

/** Sets the password; undefined where the token does not count, or was spent meanwhile. */
async function setOnce(
  { body, now, clientAddress }: PasswordChange,
  resetHash: string,
): Promise<ShownUser | undefined> {
  const found = await findResetToken(resetHash, now);
  if (!found || found.isSpent) return undefined;
  const { user } = found.account;
  actAs(`user#${user.id}`);
  // Nothing may fail once the password has changed; the notice follows from the table's stream.
  const [passwordHash, logins, company] = await Promise.all([
    hashPassword(body.password),
    forgivenLogins(user, clientAddress, now),
    findCompany(user.financial_company_id),
  ]);
  const names = namesFor(user, body);
  const { locale } = body;
  if (!(await changePassword(user.id, resetHash, { passwordHash, names, locale, logins }, now))) return undefined;
  return { ...user, ...names, ...(locale !== undefined && { locale }), company };
}

/** The user whose password was set to this one with this token within the last minute (D14). */
async function findWhereSet({ body, now }: PasswordChange, resetHash: string): Promise<ShownUser | undefined> {
  const found = await findResetToken(resetHash, now);
  if (!found?.isSpent) return undefined;
  const { user, hash } = found.account;
  if (hash === undefined || !(await verifyPassword(body.password, hash))) return undefined;
  return { ...user, company: await findCompany(user.financial_company_id) };
}

/** A registration keeps no names: who sets the first password sets them (D16). */
function namesFor({ first_name, last_name }: User, body: PasswordChange["body"]) {
  if (first_name !== "" || last_name !== "") return {};
  return {
    ...(body.first_name !== undefined && { first_name: body.first_name }),
    ...(body.last_name !== undefined && { last_name: body.last_name }),
  };
}

/** A completed recovery forgives all failures of the user's logins, and makes its client known (D10). */
async function forgivenLogins({ email, phone_number }: User, address: string, now: Date) {
  const logins = [email, phone_number].filter((login) => login !== null);
  const guessers = await Promise.all(logins.map((login) => guesserOf(login, { address, isKnown: false })));
  return guessers.map((guesser) => ({
    loginHash: guesser.loginHash,
    next: afterRecovery(guesser, now.getTime()),
  }));
}
