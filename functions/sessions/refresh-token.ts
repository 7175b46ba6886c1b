import { Refusal } from "../../shared/contract/refusals.ts";
import { refreshToken } from "../../shared/contract/sessions.ts";
import { type AnonymousRequest, anonymous } from "../../shared/http/endpoint.ts";
import { dropDevicesOfSession } from "../../shared/notifications/devices.ts";
import { countNumberOnce, subjectOf } from "../../shared/people/limits.ts";
import {
  endSessionFamily,
  findSession,
  isGenuine,
  makeRefreshToken,
  parseRefreshToken,
  type RefreshPlace,
  rotateSession,
} from "../../shared/people/sessions.ts";
import { findAccount } from "../../shared/people/users.ts";
import { count } from "../../shared/run/log.ts";
import { bearerHeader, issueTokens } from "../../shared/tokens/access.ts";
import { hmacKey } from "../../shared/tokens/secrets.ts";

/**
 * Renews a session by its refresh token. A token that was spent before ends the session and removes its devices, except
 * in the minute after a renewal, in which the last answer is given again (D5, D28). A token that has expired, or that the
 * service did not make, ends nothing. The session is changed last, so that a fault before it costs nothing.
 */
export const handler = anonymous(refreshToken, renew, { headers: bearerHeader });

async function renew({ body, now, change }: AnonymousRequest<typeof refreshToken>) {
  const given = parseRefreshToken(body.refresh_token);
  if (!given) throw refreshTokenInvalid();
  const { userId, family, n } = given;
  const [session, account, key] = await Promise.all([findSession(userId, family), findAccount(userId), hmacKey()]);
  if (!session || !isGenuine(given, session.seed, key)) throw refreshTokenInvalid();
  const next = makeRefreshToken({ userId, family, n: n + 1 }, session.seed, key);
  const token = account && (await issueTokens(account.user, family, next, now));
  const outcome = await rotateSession(given, session, account?.epoch, now);
  if (outcome === "reused") {
    await endSessionFamily(userId, family, change, { revoked: true });
    // After the end of the session, so that no device can be registered meanwhile.
    await dropDevicesOfSession(userId, family);
  }
  const isAnswered = outcome === "renewed" || (outcome === "repeated" && (await mayRepeat(given, now)));
  if (!token || !isAnswered) throw refreshTokenInvalid();
  if (outcome === "repeated") count("RefreshesRepeated", {});
  if (n > session.n) count("RefreshesAhead", {});
  return { token };
}

/** Counts a number whose answer is given again: 20 a session and day, however many requests ask for one. */
async function mayRepeat({ family, n }: RefreshPlace, now: Date): Promise<boolean> {
  return countNumberOnce({ rule: "repeats", subject: await subjectOf("repeats", family) }, n, now);
}

function refreshTokenInvalid(): Refusal {
  return new Refusal("refresh_token_invalid", "The refresh token is spent, expired or unknown; sign in again");
}
