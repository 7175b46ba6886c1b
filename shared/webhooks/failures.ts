import { type KnownWebhook, keepFailure, type WebhookAddress } from "../db/webhooks.ts";
import { afterFailure } from "../domain/webhooks/health.ts";
import { log } from "../logger.ts";
import { count } from "../metrics.ts";

/** Records a failed attempt. Returns true if it disables the webhook, as it was read and not in a newer state. */
export async function noteFailure(
  webhook: WebhookAddress,
  known: KnownWebhook,
  isGone: boolean,
  now: Date,
): Promise<boolean> {
  const health = afterFailure(known.health, isGone, now);
  if (!health || !(await keepFailure(webhook, known, health))) return false;
  if (health.disabled_at === undefined) return false;
  log("error", "webhook is disabled", { webhook: webhook.name, failing_since: health.failing_since, is_gone: isGone });
  count("WebhooksDisabled", {});
  return true;
}
