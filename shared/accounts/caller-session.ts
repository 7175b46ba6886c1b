import { type Account, findAccount } from "../db/accounts/accounts.ts";
import { findSession, isLive, requireLive } from "../db/accounts/sessions.ts";
import type { TransactionWrite } from "../db/table/transaction.ts";
import type { Caller } from "../domain/caller.ts";
import { Refusal } from "../domain/refusal.ts";
import { settings } from "../settings.ts";

/** What a caller's session leaves with what is registered in it. */
export interface CallerSession {
  /** The session family; undefined where the stage's users sign in with another issuer. */
  readonly family: string | undefined;
  /** The user's account, with the epoch that the session is of (D14). */
  readonly account: Account;
  /** What checks in a transaction that the session has not ended meanwhile. */
  readonly checks: readonly TransactionWrite[];
}

/**
 * The session that a caller acts in. Refuses as `token_invalid` who has been removed, and whose session has ended or is of an
 * earlier epoch, though the access token is valid for some minutes more (D14, D28). Two read units, one round trip.
 */
export async function requireSession({ userId, sessionId }: Caller, now: Date): Promise<CallerSession> {
  const hasSessions = settings.oidcIssuer() === undefined;
  const [account, session] = await Promise.all([
    findAccount(userId),
    hasSessions ? findSession(userId, sessionId) : undefined,
  ]);
  if (!account) throw sessionEnded();
  const { epoch } = account;
  if (!hasSessions) return { family: undefined, account, checks: [] };
  if (!session || !isLive(session, epoch, now)) throw sessionEnded();
  const checks = [requireLive(userId, sessionId, epoch, now)];
  return { family: sessionId, account, checks };
}

/** The refusal of an access token whose session has ended. */
export function sessionEnded(): Refusal {
  return new Refusal("token_invalid", "The session of this access token has ended");
}
