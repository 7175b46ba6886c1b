import { setPassword } from "../../shared/contract/accounts.ts";
import { changePassword, findUserOfResetToken } from "../../shared/db/accounts/reset-tokens.ts";
import { findCompany } from "../../shared/db/records/companies.ts";
import { requireUncommon } from "../../shared/domain/accounts/common-passwords.ts";
import { hashPassword } from "../../shared/domain/accounts/password.ts";
import { hashResetToken } from "../../shared/domain/accounts/reset-token.ts";
import { Refusal } from "../../shared/domain/refusal.ts";
import { anonymous } from "../../shared/http/endpoint.ts";

/** Spends a reset token for a new password and ends every session of the user, who is notified of it (D14, D15). */
export const handler = anonymous(setPassword, async ({ body, now }) => {
  requireUncommon(body.password, "/user/password");
  const resetHash = hashResetToken(body.reset_password_token);
  const account = await findUserOfResetToken(resetHash, now);
  if (!account) throw resetTokenInvalid();
  const { user } = account;
  // Nothing may fail once the password has changed; the notice follows from the table's stream.
  const [passwordHash, company] = await Promise.all([
    hashPassword(body.password),
    findCompany(user.financial_company_id),
  ]);
  if (!(await changePassword(user.id, resetHash, passwordHash, now))) throw resetTokenInvalid();
  return { user: { ...user, company } };
});

function resetTokenInvalid(): Refusal {
  return new Refusal("reset_token_invalid", "The reset token is spent, expired or unknown; request a new pin");
}
