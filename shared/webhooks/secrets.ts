import { createHmac } from "node:crypto";
import * as v from "valibot";
import { timestamp } from "../contract/values.ts";
import { readSecret, writeSecret } from "../secrets.ts";
import { settings } from "../settings.ts";
import { secretPrefix } from "./signature.ts";

/** A webhook's secret that was replaced: the number of the one that signs now, and until when the one before signs beside it. */
const rotation = v.object({
  generation: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  previous_until: timestamp,
});

const stored = v.object({
  /** Every secret of every webhook is derived from it. */
  key: v.pipe(v.string(), v.minLength(32)),
  rotations: v.optional(v.record(v.string(), rotation), {}),
});

/** What the webhooks of a stage sign with, as Secrets Manager has it. */
export type WebhookKeys = v.InferOutput<typeof stored>;

/** The keys of the stage's webhooks; up to 5 minutes old unless they must be `fresh`. */
export async function readWebhookKeys(options?: { readonly fresh: boolean }): Promise<WebhookKeys> {
  return v.parse(stored, await readSecret(settings.webhookSecretArn(), options));
}

/** Stores the keys of the stage's webhooks. */
export function writeWebhookKeys(keys: WebhookKeys): Promise<void> {
  return writeSecret(settings.webhookSecretArn(), keys);
}

/** The secrets that a webhook's attempts are signed with at a moment, in base64: the present one, and the one before while it is valid. */
export function signingSecrets(keys: WebhookKeys, name: string, now: Date): string[] {
  const { generation, previous_until = "" } = keys.rotations[name] ?? { generation: 0 };
  const wasReplaced = generation > 0 && now < new Date(previous_until);
  return [generation, ...(wasReplaced ? [generation - 1] : [])].map((each) => derive(keys, name, each));
}

/** A webhook's secret as its receiver is given it. */
export function shownSecret(keys: WebhookKeys, name: string): string {
  return `${secretPrefix}${derive(keys, name, keys.rotations[name]?.generation ?? 0)}`;
}

/** The keys with another secret for a webhook; the one that signed so far signs beside it until a moment. */
export function rotated(keys: WebhookKeys, name: string, previousUntil: Date): WebhookKeys {
  const generation = (keys.rotations[name]?.generation ?? 0) + 1;
  const own = { generation, previous_until: previousUntil.toISOString() };
  return { ...keys, rotations: { ...keys.rotations, [name]: own } };
}

function derive({ key }: WebhookKeys, name: string, generation: number): string {
  return createHmac("sha256", key).update(`webhook ${name} ${generation}`).digest("base64");
}
