import type { Caller } from "../contract/operation.ts";
import { Refusal } from "../contract/refusals.ts";
import { type Account, findAccount } from "../db/accounts/accounts.ts";
import { findSession, isLiveSession, requireLive } from "../db/accounts/sessions.ts";
import { settings } from "../run/settings.ts";
import type { TransactionWrite } from "../table/writes.ts";

/**
 * The account of a caller whose session is live. Refuses as `token_invalid` if the user has been removed, or the session
 * has ended or has an earlier epoch, even while the access token is valid (D14, D28). Two read units, one round trip.
 */
export function requireSession(caller: Caller, now: Date): Promise<Account> {
  return findLive(caller, findAccount, now);
}

/**
 * The account of a caller who may act: the user still has the role and company of the access token, and the session has
 * not ended, also not by a new password. Refuses others as `token_invalid`: a token outlives all this by minutes, which is
 * enough to read by (D4, D19). One read unit beside `findActor`, in the same round trip. A stage with an external issuer
 * checks user, role and company alone.
 */
export async function requireActing<A extends Account>(
  caller: Caller,
  findActor: (userId: number) => Promise<A | undefined>,
  now: Date,
): Promise<A> {
  const account = await findLive(caller, findActor, now);
  const { role, financial_company_id } = account.user;
  if (role === caller.role && financial_company_id === caller.companyId) return account;
  throw new Refusal("token_invalid", "The user of this access token has another role or company");
}

/** The session of a caller, as a write within it needs it. */
export interface CallerSession {
  /** The session family; undefined if the stage has an external issuer. */
  readonly family: string | undefined;
  /** Writes that check in a transaction that the session has not ended meanwhile. */
  readonly checks: readonly TransactionWrite[];
}

/** The session of a caller, which was found live. */
export function sessionOf({ userId, sessionId }: Caller, now: Date): CallerSession {
  if (!hasSessions()) return { family: undefined, checks: [] };
  return { family: sessionId, checks: [requireLive(userId, sessionId, now)] };
}

/** The account of a caller whose session is live, if the stage has sessions. */
async function findLive<A extends Account>(
  { userId, sessionId }: Caller,
  find: (userId: number) => Promise<A | undefined>,
  now: Date,
): Promise<A> {
  const [account, session] = await Promise.all([
    find(userId),
    hasSessions() ? findSession(userId, sessionId) : undefined,
  ]);
  if (!account) throw sessionEnded();
  if (hasSessions() && !(session && isLiveSession(session, account.epoch, now))) throw sessionEnded();
  return account;
}

function hasSessions(): boolean {
  return settings.oidcIssuer() === undefined;
}

/** The refusal of an access token whose session has ended. */
export function sessionEnded(): Refusal {
  return new Refusal("token_invalid", "The session of this access token has ended");
}
