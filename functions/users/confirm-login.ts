import { confirmLogin } from "../../shared/contract/users.ts";
import { spendPin, tryPin } from "../../shared/db/pins.ts";
import { findCompany, findUser } from "../../shared/db/users.ts";
import { requireLogin } from "../../shared/domain/login.ts";
import { pinFits } from "../../shared/domain/pin.ts";
import { Refusal } from "../../shared/domain/refusal.ts";
import { hashResetToken, makeResetToken } from "../../shared/domain/reset-token.ts";
import { forAnyone } from "../../shared/http/endpoint.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { settings } from "../../shared/settings.ts";

/** Spends a pin: confirms the login and answers with the user and a reset token (D10, D13, D14). */
export const handler = forAnyone(confirmLogin, async ({ query, now }) => {
  const login = requireLogin(query.login, settings.defaultCountry(), { parameter: "login" });
  const key = await hmacKey();
  const attempt = await tryPin(login.value, now);
  if (!attempt || !pinFits(query.pin, attempt.userId, attempt.seal, key)) throw pinInvalid();

  const user = await findUser(attempt.userId);
  if (!user) throw pinInvalid();
  const resetToken = makeResetToken();
  const [isSpent, company] = await Promise.all([
    spendPin(login.value, attempt, hashResetToken(resetToken), now),
    findCompany(user.financial_company_id),
  ]);
  if (!isSpent) throw pinInvalid();
  return { user: { ...user, company, reset_password_token: resetToken } };
});

function pinInvalid(): Refusal {
  return new Refusal("pin_invalid", "The pin is wrong, expired or spent; ask for a new one");
}
