import { type CryptoKey, exportJWK, generateKeyPair, importJWK } from "jose";
import * as v from "valibot";
import type { PublicJwk } from "../contract/service.ts";
import { timestamp } from "../contract/values.ts";
import { faultFields, log } from "../run/log.ts";
import { settings } from "../run/settings.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { type Key, queryPage } from "../table/table.ts";
import { readSecret, writeSecret } from "./secrets.ts";

const coordinate = v.pipe(
  v.string(),
  v.check(
    (value) => Buffer.from(value, "base64url").length === 32 && isCanonical(value),
    "must be 32 bytes in canonical base64url",
  ),
);

/** A key that verifies ES256 signatures and does nothing else (D6). */
const publicKey = v.object({
  kty: v.literal("EC"),
  crv: v.literal("P-256"),
  x: coordinate,
  y: coordinate,
  kid: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
  alg: v.literal("ES256"),
  use: v.literal("sig"),
  key_ops: v.optional(v.strictTuple([v.literal("verify")])),
});

function isCanonical(value: string): boolean {
  return Buffer.from(value, "base64url").toString("base64url") === value;
}

/** A public signing key as the table has it. */
interface StoredPublicKey extends StoredItem {
  readonly jwk: PublicJwk;
  /** When its publication began. */
  readonly published_at: string;
  /** Present once a newer key signs. */
  readonly valid_to?: string;
  readonly expires_at?: number;
}

const keysPk = "KEYS";

/** The entity of public signing keys. */
export const publicKeys = defineEntity<StoredPublicKey>("public key", ({ pk }) => pk === keysPk);

/** Access pattern K1: the public signing keys that are published now, as JWKs. One query, 0.5 read units. */
export async function findPublicKeys(now: Date): Promise<PublicJwk[]> {
  const published = (await findPublishedKeys()).filter(({ valid_to }) => !valid_to || valid_to > now.toISOString());
  return published.map(({ jwk }) => jwk);
}

/** The public signing keys that the table has, with those whose publication has ended. */
export async function findPublishedKeys(options: { readonly ConsistentRead?: true } = {}): Promise<StoredPublicKey[]> {
  const { items } = await queryPage({
    KeyConditionExpression: "pk = :keys",
    ExpressionAttributeValues: { ":keys": keysPk },
    ...options,
  });
  return items.map(publicKeys.decode);
}

/** Key of a public signing key. */
export function publicKeyAt(kid: string): Key {
  return { pk: keysPk, sk: kid };
}

/** A withdrawn key verifies nothing after as long (D6). */
export const keySetCacheMinutes = 5;

/** An unknown key id makes an environment read the keys at most so often: tokens with made-up ids cost nothing. */
const rereadMinutes = 1;

/** After a failed read, keys are used this much longer before the next try. */
const staleKeysMinutes = 0.5;

let keys = new Map<string, CryptoKey>();

let readAt: number | undefined;

let reading: Promise<void> | undefined;

/**
 * The public key with that id, or undefined. Keys are read from the table and cached for 5 minutes; an unknown id
 * causes another read at most once a minute (D6). If the read fails, the cached keys stay in use. For an unknown id it
 * then throws, because the id may belong to a new key.
 */
export async function findVerificationKey(kid: string, now: Date): Promise<CryptoKey | undefined> {
  const age = readAt === undefined ? Number.POSITIVE_INFINITY : now.getTime() - readAt;
  if (age >= (keys.has(kid) ? keySetCacheMinutes : rereadMinutes) * 60_000 || age < 0) {
    reading ??= readKeys(now).finally(() => {
      reading = undefined;
    });
    await reading.catch((error) => {
      if (!keys.has(kid)) throw error;
      log("warn", "public keys not read again", { ...faultFields(error), code: "public_keys_stale" });
      readAt = now.getTime() - (keySetCacheMinutes - staleKeysMinutes) * 60_000;
    });
  }
  return keys.get(kid);
}

/** Reads the keys, as the first verification does, and returns the id of one; undefined if there is none. */
export async function findAnyKeyId(now: Date): Promise<string | undefined> {
  await findVerificationKey("", now);
  return keys.keys().next().value;
}

async function readKeys(now: Date): Promise<void> {
  const read = new Map<string, CryptoKey>();
  for (const jwk of await findPublicKeys(now)) {
    const key = await importFit(jwk);
    if (key) read.set(jwk.kid, key);
    else log("error", "public key refused", { code: "public_key_refused" });
  }
  keys = read;
  readAt = now.getTime();
}

/** One invalid key must not block the others: it is skipped and logged. */
async function importFit(jwk: unknown): Promise<CryptoKey | undefined> {
  const checked = v.safeParse(publicKey, jwk);
  if (!checked.success) return undefined;
  // Rejects only a point that is not on the curve; the schema has checked everything else.
  return importJWK(checked.output, "ES256").then(
    (key) => key as CryptoKey,
    () => undefined,
  );
}

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
