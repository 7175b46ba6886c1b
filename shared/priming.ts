import { faultFields, log, noteStart } from "./run/log.ts";
import { settings } from "./run/settings.ts";
import { getItem } from "./table/table.ts";
import { warmUpVerification } from "./tokens/access.ts";
import { findPublicKeys, findSigningKey } from "./tokens/keys.ts";
import { edgeSecrets, hmacKey } from "./tokens/secrets.ts";

/** Longest time that priming may delay an environment's start. */
const mostMilliseconds = 1_000;

/**
 * Runs the steps that a first call would otherwise wait for, all at once. Never fails: steps that fail or take too long
 * are logged.
 */
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

/** Reads the public keys and runs one verification that must fail. Afterwards keys, connection and code are ready. */
export function primeVerification(): Promise<void> {
  return warmUpVerification(new Date());
}

/** Opens a connection to the table by reading an item that does not exist. 0.5 read units. */
export function primeTable(): Promise<unknown> {
  return getItem({ pk: "PRIMING", sk: "PRIMING" });
}

/** Opens a connection to the table by reading the public keys. 0.5 read units. */
export function primePublicKeys(): Promise<unknown> {
  return findPublicKeys(new Date());
}

/** Reads the key for HMACs, which is cached for 5 minutes. */
export function primeHmacKey(): Promise<unknown> {
  return hmacKey();
}

/** Reads the secrets that the stage's edge sends, if it has an edge. They are cached for 5 minutes. */
export async function primeEdgeSecret(): Promise<unknown> {
  const arn = settings.edgeSecretArn();
  return arn && edgeSecrets(arn);
}

/** Reads the key that signs access tokens, which is cached for 5 minutes. */
export function primeSigningKey(): Promise<unknown> {
  return findSigningKey(new Date());
}
