import { errors, jwtVerify } from "jose";
import * as v from "valibot";
import type { Caller } from "../contract/operation.ts";
import { roles } from "../contract/operation.ts";
import { Refusal } from "../contract/refusals.ts";
import { id } from "../contract/values.ts";
import { settings } from "../run/settings.ts";
import { findAnyKeyId, findVerificationKey } from "./key-set.ts";
import { type VerifiedToken, verifyOidcToken } from "./oidc-issuer.ts";

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
