import { isKnownClient } from "../../shared/accounts/known-client.ts";
import { countPassword, forgivePassword } from "../../shared/accounts/password-guesses.ts";
import { renewPasswordHash } from "../../shared/accounts/password-renewal.ts";
import { guesserOf } from "../../shared/accounts/requester.ts";
import { signIn } from "../../shared/contract/sessions.ts";
import { findAccountOfLogin } from "../../shared/db/accounts/logins.ts";
import { openSession } from "../../shared/db/accounts/sessions.ts";
import { findCompany } from "../../shared/db/records/companies.ts";
import { requireLogin } from "../../shared/domain/accounts/login.ts";
import { unusableHash, verifyPassword } from "../../shared/domain/accounts/password.ts";
import { firstNumber, makeFamily, makeRefreshToken, makeSeed } from "../../shared/domain/accounts/refresh-token.ts";
import { Refusal } from "../../shared/domain/refusal.ts";
import { anonymousByAddress } from "../../shared/http/anonymous-by-address.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { settings } from "../../shared/settings.ts";
import { issueTokens } from "../../shared/tokens/issue-tokens.ts";

/** Signs in with a login and its password. An unknown login takes as long as a wrong password (D5, D15). */
export const handler = anonymousByAddress(signIn, async ({ body, now, clientAddress: address, clientProof }) => {
  const login = requireLogin(body.login, settings.defaultCountry(), { pointer: "/user/login" });
  const isKnown = await isKnownClient(login, clientProof);
  const guesser = await guesserOf(login.value, { address, isKnown });
  const [counted, account] = await Promise.all([countPassword(guesser, now), findAccountOfLogin(login.value)]);
  const hash = account?.hash ?? unusableHash;
  const isRight = await verifyPassword(body.password, hash);
  if (!account || !isRight) throw new Refusal("login_invalid", "The login or the password is wrong");

  const { user, epoch } = account;
  const [family, seed] = [makeFamily(now), makeSeed()];
  const refreshToken = makeRefreshToken({ userId: user.id, family, n: firstNumber }, seed, await hmacKey());
  const [company, token] = await Promise.all([
    findCompany(user.financial_company_id),
    issueTokens(user, family, refreshToken, now),
    openSession(user.id, family, seed, epoch, now),
    forgivePassword(guesser, counted, now),
    renewPasswordHash(user.id, body.password, hash),
  ]);
  return { user: { ...user, company }, token };
});
