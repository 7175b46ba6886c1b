import { findSession } from "../db/accounts/sessions.ts";
import { findAccount } from "../db/accounts/users.ts";
import type { Caller } from "../domain/caller.ts";
import { Refusal } from "../domain/refusal.ts";
import { settings } from "../settings.ts";

/** What a caller's session leaves with what is registered in it. */
export interface CallerSession {
  /** The session family; undefined where the stage's users sign in with another issuer. */
  readonly family: string | undefined;
  /** The user's epoch (D14). */
  readonly epoch: number;
}

/**
 * The session that a caller acts in. Refuses as `token_invalid` who has been removed, and whose session has ended or is of an
 * earlier epoch, though the access token is valid for some minutes more (D14, D28). Two read units, one round trip.
 */
export async function requireSession({ userId, sessionId }: Caller): Promise<CallerSession> {
  const hasSessions = settings.oidcIssuer() === undefined;
  const [account, session] = await Promise.all([
    findAccount(userId),
    hasSessions ? findSession(userId, sessionId) : undefined,
  ]);
  if (!account || (hasSessions && session?.epoch !== account.epoch)) {
    throw new Refusal("token_invalid", "The session of this access token has ended");
  }
  return { family: hasSessions ? sessionId : undefined, epoch: account.epoch };
}
