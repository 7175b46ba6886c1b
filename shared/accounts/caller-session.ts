import { type Account, findAccount } from "../db/accounts/accounts.ts";
import { findSession, isLive, requireLive } from "../db/accounts/sessions.ts";
import type { TransactionWrite } from "../db/table/transaction.ts";
import type { Caller } from "../domain/caller.ts";
import { Refusal } from "../domain/refusal.ts";
import { settings } from "../settings.ts";

/** The caller's session, as a write within it needs it. */
export interface CallerSession {
  /** The session family; undefined if the stage has an external issuer. */
  readonly family: string | undefined;
  /** The user's account, with the session's epoch (D14). */
  readonly account: Account;
  /** Writes that check in a transaction that the session has not ended meanwhile. */
  readonly checks: readonly TransactionWrite[];
}

/**
 * The session of a caller. Refuses as `token_invalid` if the user has been removed, or the session has ended or has an
 * earlier epoch, even while the access token is valid (D14, D28). Two read units, one round trip.
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
