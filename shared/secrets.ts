import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as v from "valibot";
import { msPerMinute, timestamp } from "./contract/values.ts";
import { type HmacKey, type HmacKeyVersions, openHmacKey } from "./domain/hmac-key.ts";
import { callLimits, limitedBy } from "./run/limits.ts";
import { faultFields, log } from "./run/log.ts";
import { settings } from "./run/settings.ts";

/** A new version of a secret is known to every function after as long (D6). */
export const secretCacheMinutes = 5;
/** After a failed read, a value is used this much longer before the next try. */
const staleSecretMinutes = 0.5;

const keyText = v.pipe(v.string(), v.minLength(32));
const version = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/** The secret of the HMAC key: the one version that the deploy made, or all of them once `npm run keys` has added one. */
const hmacSecret = v.union([
  v.object({
    versions: v.array(v.object({ version, key: keyText, signs_from: v.optional(timestamp) })),
    highest: version,
  }),
  v.pipe(
    v.object({ version, key: keyText }),
    v.transform((made): HmacKeyVersions => ({ versions: [made], highest: made.version })),
  ),
]);

const edgeSecret = v.object({ current: v.pipe(v.string(), v.minLength(32)), previous: v.string() });

let client: SecretsManagerClient | undefined;
const cached = new Map<string, { readonly value: unknown; readonly staleAt: number; readonly readAt: number }>();

/** The key that hashes pins and other short secrets; cached for 5 minutes, never in the table or a setting (D9). */
export async function hmacKey(): Promise<HmacKey> {
  return openHmacKey((await readHmacKeyVersions()).versions, new Date());
}

/** The current and previous secret of the stage's edge; cached for 5 minutes. */
export async function edgeSecrets(arn: string): Promise<v.InferOutput<typeof edgeSecret>> {
  return v.parse(edgeSecret, await readSecret(arn));
}

/** The versions of the HMAC key. Up to 5 minutes old unless they must be `fresh`. */
export async function readHmacKeyVersions(options?: { readonly fresh: boolean }): Promise<HmacKeyVersions> {
  return v.parse(hmacSecret, await readSecret(settings.hmacSecretArn(), options));
}

/** Stores the versions of the HMAC key. */
export function writeHmacKeyVersions({ versions, highest }: HmacKeyVersions): Promise<void> {
  return writeSecret(settings.hmacSecretArn(), { versions, highest });
}

/**
 * The JSON value of a secret, cached for 5 minutes unless it must be `fresh` (D6). If a read fails, the cached value is
 * used for another half minute before the next try.
 */
export async function readSecret(arn: string, { fresh = false } = {}): Promise<unknown> {
  const known = cached.get(arn);
  const now = Date.now();
  if (!fresh && known && now >= known.readAt && now < known.staleAt) return known.value;
  try {
    return keep(arn, await fetchSecret(arn), secretCacheMinutes);
  } catch (error) {
    if (fresh || !known) throw error;
    log("warn", "secret not read again", { ...faultFields(error), code: "secret_stale" });
    return keep(arn, known.value, staleSecretMinutes);
  }
}

async function fetchSecret(arn: string): Promise<unknown> {
  const { SecretString } = await secretClient().send(new GetSecretValueCommand({ SecretId: arn }));
  return JSON.parse(SecretString ?? "null");
}

function keep(arn: string, value: unknown, minutes: number): unknown {
  const readAt = Date.now();
  cached.set(arn, { value, readAt, staleAt: readAt + minutes * msPerMinute });
  return value;
}

/** Replaces the value of a secret. */
export async function writeSecret(arn: string, value: unknown): Promise<void> {
  await secretClient().send(new PutSecretValueCommand({ SecretId: arn, SecretString: JSON.stringify(value) }));
  cached.delete(arn);
}

function secretClient(): SecretsManagerClient {
  client ??= new SecretsManagerClient(limitedBy(callLimits.secret));
  return client;
}
