import { type CryptoKey, importJWK } from "jose";
import * as v from "valibot";
import { findPublicKeys } from "../db/accounts/public-keys.ts";
import { faultFields, log } from "../run/log.ts";
import { publicKey } from "./public-key.ts";

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
