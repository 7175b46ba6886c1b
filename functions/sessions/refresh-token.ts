import { Refusal } from "../../shared/contract/refusals.ts";
import { refreshToken } from "../../shared/contract/sessions.ts";
import { type AnonymousRequest, anonymous } from "../../shared/http/endpoint.ts";
import { dropDevicesOfSession } from "../../shared/notifications/devices.ts";
import { countNumberOnce, type LimitRule, limitSubjectOf } from "../../shared/people/limits.ts";
import {
  endSessionFamily,
  findSession,
  isGenuine,
  isLiveSession,
  isValid,
  makeRefreshToken,
  parseRefreshToken,
  type RefreshPlace,
  renewal,
  type StoredSession,
  sessionKey,
  sessions,
} from "../../shared/people/sessions.ts";
import { findAccount } from "../../shared/people/users.ts";
import { count } from "../../shared/run/log.ts";
import { allOf, tryUpdate } from "../../shared/table/writes.ts";
import { bearerHeader, issueTokens } from "../../shared/tokens/access.ts";
import { hmacKey } from "../../shared/tokens/secrets.ts";

/**
 * So long after a renewal a spent token ends nothing, because an answer was lost or several requests came at once: the last
 * one is answered again, older ones are refused (D5).
 */
const renewalRepeatMs = 60_000;

/** Numbers of a session's refresh tokens whose answer is given again, however many requests ask for one. */
export const repeats = {
  name: "repeats",
  subjectKind: "session",
  most: 20,
  window: "day",
} as const satisfies LimitRule;

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
  const isRepeated = outcome === "repeated" && (await countNumberOnce(await limitSubjectOf(repeats, family), n, now));
  if (!token || !(outcome === "renewed" || isRepeated)) throw refreshTokenInvalid();
  if (isRepeated) count("RefreshesRepeated", {});
  if (n > session.n) count("RefreshesAhead", {});
  return { token };
}

/** The fate of a genuine refresh token: it renews its session, is answered again, is reused, or is refused. */
type RefreshOutcome = "renewed" | "repeated" | "reused" | "refused";

/**
 * Access pattern S2: renews a session that was read, in the user's epoch. Then the token's successor counts. For 60
 * seconds the predecessor of the token that counts is `repeated`, and older ones are `refused`; later all are `reused`
 * (D5). One write unit; none if the session as it was read already decides.
 */
export async function rotateSession(
  { userId, family, n }: RefreshPlace,
  session: StoredSession,
  epoch: number | undefined,
  now: Date,
): Promise<RefreshOutcome> {
  const seen = outcomeOf(n, session, epoch, now);
  if (seen !== "renewed") return seen;
  const { isWritten, item } = await tryUpdate(sessionKey(userId, family), {
    when: allOf(isValid, "n <= :n"),
    values: { ":n": n, ":now": now.toISOString() },
    set: { n: n + 1, ...renewal(now) },
  });
  if (isWritten) return "renewed";
  return item ? outcomeOf(n, sessions.decode(item), epoch, now) : "refused";
}

/** A number above the stored one renews as well: the service gave it before the table was restored, as the MAC proves. */
function outcomeOf(n: number, session: StoredSession, epoch: number | undefined, now: Date): RefreshOutcome {
  const isRecent = now.getTime() - Date.parse(session.renewed_at) < renewalRepeatMs;
  if (n < session.n && !isRecent) return "reused";
  if (n < session.n - 1 || !isLiveSession(session, epoch, now)) return "refused";
  return n === session.n - 1 ? "repeated" : "renewed";
}

function refreshTokenInvalid(): Refusal {
  return new Refusal("refresh_token_invalid", "The refresh token is spent, expired or unknown; sign in again");
}
