import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as v from "valibot";
import { settings } from "./settings.ts";

const cacheMinutes = 5;

const hmacSecret = v.object({ key: v.pipe(v.string(), v.minLength(32)) });

const edgeSecret = v.object({ current: v.pipe(v.string(), v.minLength(32)), previous: v.string() });

let client: SecretsManagerClient | undefined;
const cached = new Map<string, { readonly value: unknown; readonly readAt: number }>();

/** The key that pins and other short secrets are hashed with; kept for 5 minutes, never in the table or a setting (D9). */
export async function hmacKey(): Promise<string> {
  return v.parse(hmacSecret, await readSecret(settings.hmacSecretArn())).key;
}

/** What the stage's edge proves itself with, and what it did before; kept for 5 minutes. */
export async function edgeSecrets(arn: string): Promise<v.InferOutput<typeof edgeSecret>> {
  return v.parse(edgeSecret, await readSecret(arn));
}

/** The JSON value of a secret, read again every 5 minutes, or now when it must be `fresh` (D6). */
export async function readSecret(arn: string, { fresh = false } = {}): Promise<unknown> {
  const known = cached.get(arn);
  if (!fresh && known && Math.abs(Date.now() - known.readAt) < cacheMinutes * 60_000) return known.value;
  client ??= new SecretsManagerClient({});
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: arn }));
  const value: unknown = JSON.parse(SecretString ?? "null");
  cached.set(arn, { value, readAt: Date.now() });
  return value;
}

/** Puts a new value in place of a secret's. */
export async function writeSecret(arn: string, value: unknown): Promise<void> {
  client ??= new SecretsManagerClient({});
  await client.send(new PutSecretValueCommand({ SecretId: arn, SecretString: JSON.stringify(value) }));
  cached.delete(arn);
}
