import { guesserOf } from "../../shared/accounts/throttles.ts";
import { setPassword } from "../../shared/contract/accounts.ts";
import { changePassword, findResetToken } from "../../shared/db/accounts/reset-tokens.ts";
import type { Account, User } from "../../shared/db/accounts/users.ts";
import { findCompany } from "../../shared/db/records/companies.ts";
import { requireUncommon } from "../../shared/domain/accounts/common-passwords.ts";
import { afterRecovery } from "../../shared/domain/accounts/login-guesses.ts";
import { hashPassword, verifyPassword } from "../../shared/domain/accounts/password.ts";
import { hashResetToken } from "../../shared/domain/accounts/reset-token.ts";
import { Refusal } from "../../shared/domain/refusal.ts";
import { type AnonymousRequest, anonymous } from "../../shared/http/endpoint.ts";
import { queuePasswordNotice } from "../../shared/messaging/notice-queue.ts";

type Request = AnonymousRequest<typeof setPassword>;

/**
 * Spends a reset token for a new password, ends every session of the user and has the user notified. The same token with
 * the same password within a minute is answered again (D14, D15).
 */
export const handler = anonymous(setPassword, async (request) => {
  requireUncommon(request.body.password, "/user/password");
  const resetHash = hashResetToken(request.body.reset_password_token);
  const user = (await setOnce(request, resetHash)) ?? (await findWhereSet(request, resetHash));
  if (!user) throw resetTokenInvalid();
  return { user: { ...user, company: await findCompany(user.financial_company_id) } };
});

/** Sets the password; undefined where the token does not count, or was spent meanwhile. */
async function setOnce({ body, now, clientAddress }: Request, resetHash: string): Promise<User | undefined> {
  const found = await findResetToken(resetHash, now);
  if (!found || found.isSpent) return undefined;
  const { user } = found.account;
  const [passwordHash, logins] = await Promise.all([
    hashPassword(body.password),
    forgivenLogins(user, clientAddress, now),
  ]);
  const names = namesFor(user, body);
  if (!(await changePassword(user.id, resetHash, { passwordHash, names, logins }, now))) return undefined;
  await queuePasswordNotice({ userId: user.id, changedAt: now });
  return { ...user, ...names };
}

/** The user whose password was set to this one with this token within the last minute (D14). */
async function findWhereSet({ body, now }: Request, resetHash: string): Promise<Account["user"] | undefined> {
  const found = await findResetToken(resetHash, now);
  if (!found?.isSpent) return undefined;
  const { user, passwordHash } = found.account;
  return passwordHash !== undefined && (await verifyPassword(body.password, passwordHash)) ? user : undefined;
}

/** A registration keeps no names: who sets the first password sets them (D16). */
function namesFor({ first_name, last_name }: User, body: Request["body"]) {
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

function resetTokenInvalid(): Refusal {
  return new Refusal("reset_token_invalid", "The reset token is spent, expired or unknown; request a new pin");
}
