import { refreshToken } from "../../shared/contract/sessions.ts";
import { findAccount } from "../../shared/db/accounts/accounts.ts";
import { revokeSession, rotateSession } from "../../shared/db/accounts/sessions.ts";
import { dropDevicesOfSession } from "../../shared/db/notifications/device-tokens.ts";
import { makeRefreshToken, parseRefreshToken } from "../../shared/domain/accounts/refresh-token.ts";
import { Refusal } from "../../shared/domain/refusal.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { count } from "../../shared/metrics.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { issueTokens } from "../../shared/tokens/issue-tokens.ts";

/**
 * Spends a refresh token for new tokens; one that was spent before ends its whole family and removes its devices, but for
 * the minute in which an answer that was lost is given again (D5, D28). One that has expired ends nothing: it proves an
 * earlier session (D10). The session is changed last, so that a fault before it costs nothing.
 */
export const handler = anonymous(refreshToken, async ({ body, now, change }) => {
  const key = await hmacKey();
  const spent = parseRefreshToken(body.refresh_token, key);
  if (!spent) throw refreshTokenInvalid();
  const { userId, family } = spent;
  const next = makeRefreshToken(userId, family, key);
  const account = await findAccount(userId);
  const token = account && (await issueTokens(account.user, family, next, now));
  const current = account && (await rotateSession(spent, next, account.epoch, now));
  if (!token || !current) {
    if (await revokeSession(spent, account?.epoch, change)) await dropDevicesOfSession(userId, family);
    throw refreshTokenInvalid();
  }
  if (current !== next) count("RefreshesRepeated", {});
  return { token: { ...token, refresh_token: current } };
});

function refreshTokenInvalid(): Refusal {
  return new Refusal("refresh_token_invalid", "The refresh token is spent, expired or unknown; sign in again");
}
