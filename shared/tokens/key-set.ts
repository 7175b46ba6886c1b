import { type CryptoKey, importJWK } from "jose";
import * as v from "valibot";
import { findPublicKeys } from "../db/accounts/public-keys.ts";
import { log } from "../logger.ts";
import { publicKey } from "./public-key.ts";

const cacheMinutes = 5;
const rereadMinutes = 1;

let keys = new Map<string, CryptoKey>();
let readAt: number | undefined;
let reading: Promise<void> | undefined;

/** The public key with that id, if any: kept for 5 minutes, reread for an unknown id at most once a minute (D6). */
export async function findVerificationKey(kid: string, now: Date): Promise<CryptoKey | undefined> {
  const age = readAt === undefined ? Number.POSITIVE_INFINITY : now.getTime() - readAt;
  if (age >= (keys.has(kid) ? cacheMinutes : rereadMinutes) * 60_000 || age < 0) {
    reading ??= readKeys(now).finally(() => {
      reading = undefined;
    });
    await reading;
  }
  return keys.get(kid);
}

/** Reads the keys, as the first verification does, and gives the id of one of them; undefined while there is none. */
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

/** One invalid key must not take the others with it: it is skipped and logged. */
async function importFit(jwk: unknown): Promise<CryptoKey | undefined> {
  const checked = v.safeParse(publicKey, jwk);
  if (!checked.success) return undefined;
  // What is left to refuse here is a point that is not on the curve.
  return importJWK(checked.output, "ES256").then(
    (key) => key as CryptoKey,
    () => undefined,
  );
}
