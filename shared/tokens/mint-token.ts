import { findAccount } from "../db/accounts/accounts.ts";
import { openSession } from "../db/accounts/sessions.ts";
import { makeFamily } from "../domain/accounts/refresh-token.ts";
import { signAccessToken, type TokenSubject } from "./issue-tokens.ts";

/** An access token that a person made, and the session that it opened. */
export interface MintedToken {
  readonly token: string;
  readonly family: string;
}

/**
 * Makes an access token of a user without the password, in a session of its own that signing out ends and that has no refresh
 * token.
 */
export async function mintToken(subject: TokenSubject, lifeSeconds: number, now: Date): Promise<MintedToken> {
  const account = await findAccount(subject.id);
  const family = makeFamily(now);
  await openSession(subject.id, family, crypto.randomUUID(), account?.epoch ?? 0, now);
  return { token: await signAccessToken(subject, family, now, lifeSeconds), family };
}
