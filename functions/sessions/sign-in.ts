import { Refusal } from "../../shared/contract/refusals.ts";
import { signIn } from "../../shared/contract/sessions.ts";
import { type AnonymousRequest, anonymous } from "../../shared/http/endpoint.ts";
import { clientAddressOf, clientProofOf } from "../../shared/http/event.ts";
import { giveBack } from "../../shared/people/limits.ts";
import { unusableHash, verifyPassword } from "../../shared/people/passwords.ts";
import { firstNumber, makeFamily, makeRefreshToken, makeSeed, openSession } from "../../shared/people/sessions.ts";
import { requireLogin } from "../../shared/people/typed-login.ts";
import { findCompany } from "../../shared/records/companies.ts";
import { settings } from "../../shared/run/settings.ts";
import { bearerHeader, issueTokens } from "../../shared/tokens/access.ts";
import { hmacKey } from "../../shared/tokens/secrets.ts";
import { countPassword, keepFailure } from "./password-guesses.ts";
import { renewPasswordHash } from "./password-renewal.ts";

/** Signs in with a login and its password. An unknown login takes as long as a wrong password (D5, D15). */
export const handler = anonymous(signIn, startSession, { headers: bearerHeader });

async function startSession({ body, now, sender }: AnonymousRequest<typeof signIn>) {
  const address = await clientAddressOf(sender);
  const { value: login } = requireLogin(body.login, settings.defaultCountry(), { pointer: "/user/login" });
  const counted = await countPassword({ login, address, proof: clientProofOf(sender) }, now);
  const { account } = counted;
  const hash = account?.hash ?? unusableHash;
  const isRight = await verifyPassword(body.password, hash);
  if (!account || !isRight) {
    await keepFailure(counted, now);
    throw new Refusal("login_invalid", "The login or the password is wrong");
  }

  const { user, epoch } = account;
  const [family, seed] = [makeFamily(now), makeSeed()];
  const refreshToken = makeRefreshToken({ userId: user.id, family, n: firstNumber }, seed, await hmacKey());
  const [company, token] = await Promise.all([
    findCompany(user.financial_company_id),
    issueTokens(user, family, refreshToken, now),
    openSession(user.id, family, seed, epoch, now),
    giveBack(counted.taken),
    renewPasswordHash(user.id, body.password, hash),
  ]);
  return { user: { ...user, company }, token };
}
