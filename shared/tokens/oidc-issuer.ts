import { createRemoteJWKSet, type JWTVerifyGetKey, jwtVerify } from "jose";
import * as v from "valibot";
import type { Caller } from "../contract/operation.ts";
import { roles } from "../contract/operation.ts";
import { id } from "../contract/values.ts";
import type { OidcIssuer } from "../run/settings.ts";

/** A verified token: its user, and its expiry in seconds since 1970. */
export interface VerifiedToken {
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
export async function verifyOidcToken(token: string, outside: OidcIssuer, now: Date): Promise<VerifiedToken> {
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
