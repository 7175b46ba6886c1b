import { SignJWT } from "jose";
import type { Role } from "../contract/operation.ts";
import { settings } from "../run/settings.ts";
import { findSigningKey } from "./signing-keys.ts";

/** Life of an access token (D4). */
export const accessTokenLifeMinutes = 15;

/** The user that an access token is issued to. */
export interface TokenSubject {
  readonly id: number;
  readonly role: Role;
  readonly financial_company_id: number | null;
}

/** The tokens of a session in the contract's form: a new access token and the refresh token (D4, D5). */
export async function issueTokens(subject: TokenSubject, family: string, refreshToken: string, now: Date) {
  return {
    access_token: await signAccessToken(subject, family, now, accessTokenLifeMinutes * 60),
    token_type: "Bearer" as const,
    expires_in: accessTokenLifeMinutes * 60,
    refresh_token: refreshToken,
  };
}

/** The header of an answer with new tokens, in the form in which a client sends the access token (D5). */
export function bearerHeader({ token }: { readonly token: { readonly access_token: string } }) {
  return { authorization: `Bearer ${token.access_token}` };
}

/**
 * Signs an access token with the current key. `jti` is its id; a caller sets it if something else stores it too (D4).
 */
export async function signAccessToken(
  subject: TokenSubject,
  family: string,
  now: Date,
  lifeSeconds: number,
  jti: string = crypto.randomUUID(),
) {
  const { kid, key } = await findSigningKey(now);
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT({ role: subject.role, company: subject.financial_company_id, sid: family })
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid })
    .setIssuer(settings.tokenIssuer())
    .setAudience(settings.tokenAudience())
    .setSubject(String(subject.id))
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifeSeconds)
    .setJti(jti)
    .sign(key);
}
