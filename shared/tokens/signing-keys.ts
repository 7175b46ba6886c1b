import { type CryptoKey, exportJWK, generateKeyPair, importJWK } from "jose";
import * as v from "valibot";
import type { PublicJwk } from "../contract/service.ts";
import { timestamp } from "../contract/values.ts";
import { settings } from "../run/settings.ts";
import { readSecret, writeSecret } from "../secrets.ts";
import { publicKey } from "./public-key.ts";

const signingKey = v.object({
  /** The private key, an ES256 JWK with its id. */
  jwk: v.object({ ...publicKey.entries, d: v.string() }),
  signs_from: timestamp,
});

const signingSecret = v.object({ keys: v.optional(v.array(signingKey), []) });

/** A key that signs access tokens from a time on, until a newer one does (D6). */
export type SigningKey = v.InferOutput<typeof signingKey>;

/** The signing keys, newest last; empty before the first exists. Up to 5 minutes old unless they must be `fresh`. */
export async function readSigningKeys(options?: { readonly fresh: boolean }): Promise<readonly SigningKey[]> {
  return v.parse(signingSecret, await readSecret(settings.signingSecretArn(), options)).keys;
}

/** Stores the signing keys, newest last. */
export function writeSigningKeys(keys: readonly SigningKey[]): Promise<void> {
  return writeSecret(settings.signingSecretArn(), { keys });
}

/** Makes a key that signs from that time on. */
export async function makeSigningKey(signsFrom: Date): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: "ES256", use: "sig" };
  return v.parse(signingKey, { jwk, signs_from: signsFrom.toISOString() });
}

/** The public part of a key, for publication. */
export function publicPartOf({ jwk }: SigningKey): PublicJwk {
  return v.parse(publicKey, jwk);
}

/** The current signing key and its id. */
export async function findSigningKey(now: Date): Promise<{ readonly kid: string; readonly key: CryptoKey }> {
  const current = (await readSigningKeys()).findLast(({ signs_from }) => signs_from <= now.toISOString());
  if (!current) throw new Error("There is no signing key yet; rotate-signing-key makes the first one");
  return { kid: current.jwk.kid, key: (await importJWK(current.jwk, "ES256")) as CryptoKey };
}
