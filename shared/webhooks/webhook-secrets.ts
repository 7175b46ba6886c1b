import { createHmac } from "node:crypto";
import * as v from "valibot";
import { timestamp } from "../contract/values.ts";
import { readSecret, writeSecret } from "../secrets.ts";
import { settings } from "../settings.ts";
import { secretPrefix } from "./signature.ts";

/**
 * The last replacement of a webhook's secret: the number of the current secret, and the time until which the previous
 * one signs too.
 */
const rotation = v.object({
  generation: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  previous_until: timestamp,
});

const stored = v.object({
  /** The secrets of all webhooks are derived from this key. */
  key: v.pipe(v.string(), v.minLength(32)),
  rotations: v.optional(v.record(v.string(), rotation), {}),
});

/** The keys of a stage's webhooks, as stored in Secrets Manager. */
export type WebhookKeys = v.InferOutput<typeof stored>;

/** The keys of the stage's webhooks; up to 5 minutes old unless they must be `fresh`. */
export async function readWebhookKeys(options?: { readonly fresh: boolean }): Promise<WebhookKeys> {
  return v.parse(stored, await readSecret(settings.webhookSecretArn(), options));
}

/** Stores the keys of the stage's webhooks. */
export function writeWebhookKeys(keys: WebhookKeys): Promise<void> {
  return writeSecret(settings.webhookSecretArn(), keys);
}

/**
 * The secrets that sign a webhook's attempts at a time, in base64: the current one, and the previous one while it is
 * valid.
 */
export function signingSecrets(keys: WebhookKeys, name: string, now: Date): string[] {
  const { generation, previous_until = "" } = keys.rotations[name] ?? { generation: 0 };
  const wasReplaced = generation > 0 && now < new Date(previous_until);
  return [generation, ...(wasReplaced ? [generation - 1] : [])].map((each) => derive(keys, name, each));
}

/** A webhook's secret in its receiver's form. */
export function shownSecret(keys: WebhookKeys, name: string): string {
  return `${secretPrefix}${derive(keys, name, keys.rotations[name]?.generation ?? 0)}`;
}

/** The keys with a new secret for a webhook. The previous secret also signs until a time. */
export function rotated(keys: WebhookKeys, name: string, previousUntil: Date): WebhookKeys {
  const generation = (keys.rotations[name]?.generation ?? 0) + 1;
  const own = { generation, previous_until: previousUntil.toISOString() };
  return { ...keys, rotations: { ...keys.rotations, [name]: own } };
}

function derive({ key }: WebhookKeys, name: string, generation: number): string {
  return createHmac("sha256", key).update(`webhook ${name} ${generation}`).digest("base64");
}
