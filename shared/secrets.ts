import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as v from "valibot";
import { settings } from "./settings.ts";

const cacheMinutes = 5;

const hmacSecret = v.object({ key: v.pipe(v.string(), v.minLength(32)) });

let client: SecretsManagerClient | undefined;
let cached: { readonly key: string; readonly readAt: number } | undefined;

/** The key that pins and other short secrets are hashed with; kept for 5 minutes, never in the table or a setting (D9). */
export async function hmacKey(): Promise<string> {
  if (cached && Date.now() - cached.readAt < cacheMinutes * 60_000) return cached.key;
  client ??= new SecretsManagerClient({});
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: settings.hmacSecretArn() }));
  const { key } = v.parse(hmacSecret, JSON.parse(SecretString ?? "null"));
  cached = { key, readAt: Date.now() };
  return key;
}
