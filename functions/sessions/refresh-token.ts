import { refreshToken } from "../../shared/contract/sessions.ts";
import { endSession, rotateSession } from "../../shared/db/accounts/sessions.ts";
import { findAccount } from "../../shared/db/accounts/users.ts";
import { makeRefreshToken, parseRefreshToken } from "../../shared/domain/accounts/refresh-token.ts";
import { Refusal } from "../../shared/domain/refusal.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { issueTokens } from "../../shared/tokens/issue-tokens.ts";

/** Spends a refresh token for new tokens; one that was spent before ends its whole family (D5). */
export const handler = anonymous(refreshToken, async ({ body, now }) => {
  const key = await hmacKey();
  const spent = parseRefreshToken(body.refresh_token, key);
  if (!spent) throw refreshTokenInvalid();
  const { userId, family } = spent;
  const next = makeRefreshToken(userId, family, key);
  const [session, account] = await Promise.all([rotateSession(spent, next, now), findAccount(userId)]);
  if (!session || !account || session.epoch !== account.epoch) {
    await endSession(userId, family);
    throw refreshTokenInvalid();
  }
  return { token: await issueTokens(account.user, family, next, now) };
});

function refreshTokenInvalid(): Refusal {
  return new Refusal("refresh_token_invalid", "The refresh token is spent, expired or unknown; sign in again");
}
