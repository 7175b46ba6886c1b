import { createHash } from "node:crypto";
import type { WebhookHealth } from "../domain/webhooks/health.ts";
import { deleteIf, deleteItemAt, putIf } from "./table/conditional-writes.ts";
import { defineEntity, type StoredItem } from "./table/entity.ts";
import type { Key } from "./table/table.ts";

/** What the table has of a webhook whose attempts fail; nothing while they succeed. */
interface StoredWebhook extends StoredItem, WebhookHealth {
  /** SHA-256 of the address that failed, in hexadecimal digits: of another address it says nothing. */
  readonly url_hash: string;
}

/** The entity of failing webhooks. */
export const webhooks = defineEntity<StoredWebhook>(
  "webhook",
  ({ pk, sk }) => sk === "WEBHOOK" && pk.startsWith("WEBHOOK#"),
);

/** The webhook that an item is of. */
export interface WebhookAddress {
  readonly name: string;
  readonly url: string;
}

/** What was read of a webhook, which its writes are held to. */
export interface KnownWebhook {
  /** Undefined where nothing failed at this address since the last success. */
  readonly health: WebhookHealth | undefined;
  readonly stored: StoredWebhook | undefined;
}

/** Access pattern WH1: what is known of a webhook's failures. Half a read unit. */
export async function findWebhook({ name, url }: WebhookAddress): Promise<KnownWebhook> {
  const stored = await webhooks.find(webhookKey(name));
  return { stored, health: stored?.url_hash === hashOf(url) ? stored : undefined };
}

/**
 * Access pattern WH2: stores what is known after a failure, in place of what was read; false where another attempt, of the same
 * webhook, stored something since. 1 write unit.
 */
export function keepFailure(
  { name, url }: WebhookAddress,
  { stored }: KnownWebhook,
  health: WebhookHealth,
): Promise<boolean> {
  const Item = webhooks.encode({ ...webhookKey(name), url_hash: hashOf(url), ...health });
  return putIf({ Item, ...asRead(stored) });
}

/** Access pattern WH3: forgets the failures that were read; changes nothing where others were stored since. 1 write unit. */
export async function forgetFailures(name: string, { stored }: KnownWebhook): Promise<void> {
  await deleteIf({ Key: { ...webhookKey(name) }, ...asRead(stored) });
}

/** Access pattern WH4: has a webhook begin as one that never failed. 1 write unit. */
export function enableWebhook(name: string): Promise<void> {
  return deleteItemAt(webhookKey(name));
}

/** Every write sets when it was. */
function asRead(stored: StoredWebhook | undefined) {
  if (!stored) return { ConditionExpression: "attribute_not_exists(pk)" };
  const { url_hash, failing_since, failed_at } = stored;
  return {
    ConditionExpression: "url_hash = :hash AND failing_since = :since AND failed_at = :failed",
    ExpressionAttributeValues: { ":hash": url_hash, ":since": failing_since, ":failed": failed_at },
  };
}

function webhookKey(name: string): Key {
  return { pk: `WEBHOOK#${name}`, sk: "WEBHOOK" };
}

function hashOf(url: string): string {
  return createHash("sha256").update(url).digest("hex");
}
