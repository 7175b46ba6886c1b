import { createHash } from "node:crypto";
import type { WebhookHealth } from "../domain/webhooks/health.ts";
import { deleteIf, deleteItemAt, putIf } from "./table/conditional-writes.ts";
import { ifAbsent } from "./table/conditions.ts";
import { defineEntity, type StoredItem } from "./table/entity.ts";
import type { Key } from "./table/table.ts";

/** The stored state of a failing webhook; a delivering one has no item. */
interface StoredWebhook extends StoredItem, WebhookHealth {
  /** SHA-256 of the failed address, in hexadecimal digits. The state is not about any other address. */
  readonly url_hash: string;
}

/** The entity of failing webhooks. */
export const webhooks = defineEntity<StoredWebhook>("webhook", ({ sk }) => sk === "WEBHOOK");

/** The name and address of a webhook. */
export interface WebhookAddress {
  readonly name: string;
  readonly url: string;
}

/** The state of a webhook as it was read; writes require that it is unchanged. */
export interface KnownWebhook {
  /** Undefined if nothing failed at this address since the last success. */
  readonly health: WebhookHealth | undefined;
  readonly stored: StoredWebhook | undefined;
}

/** Access pattern WH1: a webhook's recorded failures. Half a read unit. */
export async function findWebhook({ name, url }: WebhookAddress): Promise<KnownWebhook> {
  const stored = await webhooks.find(webhookKey(name));
  return { stored, health: stored?.url_hash === hashOf(url) ? stored : undefined };
}

/**
 * Access pattern WH2: replaces the state after a failure. Returns false if another attempt of the same webhook stored
 * something since the read. 1 write unit.
 */
export function keepFailure(
  { name, url }: WebhookAddress,
  { stored }: KnownWebhook,
  health: WebhookHealth,
): Promise<boolean> {
  const Item = webhooks.encode({ ...webhookKey(name), url_hash: hashOf(url), ...health });
  return putIf({ Item, ...asRead(stored) });
}

/**
 * Access pattern WH3: deletes the failures that were read. Changes nothing if others were stored since. 1 write unit.
 */
export async function forgetFailures(name: string, { stored }: KnownWebhook): Promise<void> {
  await deleteIf({ Key: { ...webhookKey(name) }, ...asRead(stored) });
}

/** Access pattern WH4: resets a webhook to one that never failed. 1 write unit. */
export function enableWebhook(name: string): Promise<void> {
  return deleteItemAt(webhookKey(name));
}

/** The condition that the state is unchanged. Every write sets its time, so times identify a state. */
function asRead(stored: StoredWebhook | undefined) {
  if (!stored) return ifAbsent;
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
