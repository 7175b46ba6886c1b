import { makeFamily, makeSeed, openSession } from "../../shared/people/sessions.ts";
import { findAccount } from "../../shared/people/users.ts";
import { signAccessToken, type TokenSubject } from "../../shared/tokens/access.ts";

/** An access token that a person made, and its session. */
export interface MintedToken {
  readonly token: string;
  readonly family: string;
}

/**
 * Makes an access token for a user without their password. It opens a session whose refresh token is given to
 * nobody, and that signing out ends.
 */
export async function mintToken(subject: TokenSubject, lifeSeconds: number, now: Date): Promise<MintedToken> {
  const account = await findAccount(subject.id);
  const family = makeFamily(now);
  await openSession(subject.id, family, makeSeed(), account?.epoch ?? 0, now);
  return { token: await signAccessToken(subject, family, now, lifeSeconds), family };
}
