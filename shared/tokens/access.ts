import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify, SignJWT } from "jose";
import * as v from "valibot";
import { type Caller, type Role, roles } from "../contract/operation.ts";
import { Refusal } from "../contract/refusals.ts";
import { id } from "../contract/values.ts";
import { type OidcIssuer, settings } from "../run/settings.ts";
import { findAnyKeyId, findSigningKey, findVerificationKey } from "./keys.ts";

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

/** Signs an access token with the current key (D4). */
export async function signAccessToken(subject: TokenSubject, family: string, now: Date, lifeSeconds: number) {
  const { kid, key } = await findSigningKey(now);
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT({ role: subject.role, company: subject.financial_company_id, sid: family })
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid })
    .setIssuer(settings.tokenIssuer())
    .setAudience(settings.tokenAudience())
    .setSubject(String(subject.id))
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifeSeconds)
    .setJti(crypto.randomUUID())
    .sign(key);
}

/** A verified token: its user, and its expiry in seconds since 1970. */
interface VerifiedToken {
  readonly caller: Caller;
  readonly expiresAt: number;
}

/** Public-key algorithms only. Otherwise an attacker could use the issuer's public key as a shared secret. */
const algorithms = ["ES256", "ES384", "RS256", "PS256", "EdDSA"];

/** As long as the service's own keys are cached: a withdrawn key verifies nothing after as long (D4). */
const cacheMs = 5 * 60_000;
/** An unknown key id makes an environment ask the issuer at most so often: tokens with made-up ids cost nothing. */
const rereadMs = 60_000;
/** A request that waits longer for the issuer leaves no time for its own work. */
const attemptMs = 3_000;

const idClaim = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.regex(/^[1-9][0-9]{0,15}$/), v.transform(Number))]),
  id,
);

const keySets = new Map<string, JWTVerifyGetKey>();

/**
 * Verifies a token of the OpenID issuer that the stage trusts, against the issuer's key set. The key set is cached for
 * 5 minutes, and read again for an unknown key at most once a minute (D4). Throws errors of jose and valibot.
 */
async function verifyOidcToken(token: string, outside: OidcIssuer, now: Date): Promise<VerifiedToken> {
  const { payload } = await jwtVerify(token, keySetOf(outside.jwksUrl), {
    algorithms,
    issuer: outside.issuer,
    audience: outside.audience,
    requiredClaims: ["iss", "aud", "exp"],
    currentDate: now,
  });
  const { user, role, company } = outside.claims;
  const exp = v.parse(v.number(), payload.exp);
  const caller: Caller = {
    userId: v.parse(idClaim, payload[user]),
    role: v.parse(v.picklist(roles), payload[role]),
    companyId: v.parse(v.nullable(idClaim), payload[company] ?? null),
    sessionId: typeof payload.sid === "string" ? payload.sid : "outside",
  };
  return { caller, expiresAt: exp };
}

function keySetOf(url: string): JWTVerifyGetKey {
  const keySet =
    keySets.get(url) ??
    createRemoteJWKSet(new URL(url), { cacheMaxAge: cacheMs, cooldownDuration: rereadMs, timeoutDuration: attemptMs });
  keySets.set(url, keySet);
  return keySet;
}

/** More than any token has; no signature of a longer text is computed. */
const maxTokenBytes = 4096;
/** Some hundred KB of memory, and more users than one environment serves in the time. */
const maxRemembered = 1_000;
/** As long as a key set is cached, so that a withdrawn key also stops verifying remembered tokens. */
const rememberedMs = 5 * 60_000;

const header = v.strictObject({
  alg: v.literal("ES256"),
  typ: v.literal("at+jwt"),
  kid: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
});

const claims = v.object({
  sub: v.pipe(v.string(), v.regex(/^[1-9][0-9]{0,15}$/), v.transform(Number), id),
  role: v.picklist(roles),
  company: v.nullable(id),
  sid: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
  exp: v.number(),
});

const remembered = new Map<string, VerifiedToken & { readonly verifiedAt: number }>();

/** The caller of an access token. Refuses with `token_expired` or `token_invalid` (D4). */
export async function verifyAccessToken(token: string, now: Date): Promise<Caller> {
  const known = remembered.get(token);
  if (known && known.expiresAt * 1000 <= now.getTime()) {
    remembered.delete(token);
    throw expired();
  }
  if (known && Math.abs(now.getTime() - known.verifiedAt) < rememberedMs) return known.caller;
  const { caller, expiresAt } = await verify(token, now);
  if (remembered.size >= maxRemembered) remembered.clear();
  remembered.set(token, { caller, expiresAt, verifiedAt: now.getTime() });
  return caller;
}

/** Runs one verification that must fail, to read the keys and warm up the code. Throws an error of the keys. */
export async function warmUpVerification(now: Date): Promise<void> {
  const kid = settings.oidcIssuer() ? "none" : await findAnyKeyId(now);
  const header = { alg: "ES256", typ: "at+jwt", kid };
  const [head, payload] = [header, {}].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const signature = Buffer.alloc(64, 1).toString("base64url");
  try {
    await verify(`${head}.${payload}.${signature}`, now);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

async function verify(token: string, now: Date): Promise<VerifiedToken> {
  requireStrictForm(token);
  const outside = settings.oidcIssuer();
  try {
    return await (outside ? verifyOidcToken(token, outside, now) : verifyOwnToken(token, now));
  } catch (error) {
    if (isFaultOfKeySet(error) || !(error instanceof errors.JOSEError || v.isValiError(error))) throw error;
    throw error instanceof errors.JWTExpired ? expired() : invalid();
  }
}

/** A key set that cannot be read proves nothing against the token: clients must not throw away a valid one. */
function isFaultOfKeySet(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return true;
  // jose throws its base class if the key set's address answers without status 200 or without JSON.
  return error instanceof errors.JOSEError && error.code === "ERR_JOSE_GENERIC";
}

async function verifyOwnToken(token: string, now: Date): Promise<VerifiedToken> {
  const { kid } = v.parse(header, readHeader(token));
  const key = await findVerificationKey(kid, now);
  if (!key) throw invalid();
  const { payload } = await jwtVerify(token, key, {
    algorithms: ["ES256"],
    typ: "at+jwt",
    issuer: settings.tokenIssuer(),
    audience: settings.tokenAudience(),
    requiredClaims: ["iss", "aud", "sub", "iat", "exp", "jti"],
    currentDate: now,
  });
  const { sub, role, company, sid, exp } = v.parse(claims, payload);
  return { caller: { userId: sub, role, companyId: company, sessionId: sid }, expiresAt: exp };
}

/**
 * Checks size and alphabet before anything is parsed: bytes have one spelling. A payload still has two signatures, (r, s) and
 * (r, n − s), as ES256 has: nothing may depend on a token's text.
 */
function requireStrictForm(token: string): void {
  const parts = token.length > maxTokenBytes ? [] : token.split(".");
  if (parts.length !== 3 || !parts.every(isStrictBase64Url)) throw invalid();
}

function isStrictBase64Url(part: string): boolean {
  return /^[\w-]+$/.test(part) && Buffer.from(part, "base64url").toString("base64url") === part;
}

function readHeader(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString());
  } catch {
    throw invalid();
  }
}

function invalid(): Refusal {
  return new Refusal("token_invalid", "The access token is not valid for this service");
}

function expired(): Refusal {
  return new Refusal("token_expired", "The access token has expired");
}
