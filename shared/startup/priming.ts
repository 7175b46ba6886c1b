import { findPublicKeys } from "../db/accounts/public-keys.ts";
import { getItem } from "../db/table/table.ts";
import { faultFields, log } from "../logger.ts";
import { edgeSecrets, hmacKey } from "../secrets.ts";
import { settings } from "../settings.ts";
import { findSigningKey } from "../tokens/signing-keys.ts";
import { warmUpVerification } from "../tokens/verify-access-token.ts";
import { noteStart } from "./start-time.ts";

/** Longest that priming may delay an environment's start. */
const mostMilliseconds = 1_000;

/** Runs what a first call would wait for, all at once. Never fails: what is not primed in time is logged. */
export async function prime(steps: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const left = new Set(Object.keys(steps));
  const runs = Object.entries(steps).map(async ([step, run]) => {
    try {
      await run();
    } catch (error) {
      log("warn", "priming failed", { step, ...faultFields(error) });
    }
    left.delete(step);
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, mostMilliseconds);
  });
  await Promise.race([Promise.all(runs), late]);
  clearTimeout(timer);
  noteStart();
  for (const step of left) log("warn", "priming took too long", { step });
}

/** Reads the public keys and runs one verification, which cannot succeed: keys, connection and code are there then. */
export function primeVerification(): Promise<void> {
  return warmUpVerification(new Date());
}

/** Opens a connection to the table by reading an item that is not there. 0.5 read units. */
export function primeTable(): Promise<unknown> {
  return getItem({ pk: "PRIMING", sk: "PRIMING" });
}

/** Opens a connection to the table by reading the public keys. 0.5 read units. */
export function primePublicKeys(): Promise<unknown> {
  return findPublicKeys(new Date());
}

/** Reads the key for HMACs, which is kept for 5 minutes. */
export function primeHmacKey(): Promise<unknown> {
  return hmacKey();
}

/** Reads what the stage's edge proves itself with, where it has one; kept for 5 minutes. */
export async function primeEdgeSecret(): Promise<unknown> {
  const arn = settings.edgeSecretArn();
  return arn && edgeSecrets(arn);
}

/** Reads the key that signs access tokens, which is kept for 5 minutes. */
export function primeSigningKey(): Promise<unknown> {
  return findSigningKey(new Date());
}
