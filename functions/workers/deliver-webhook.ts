import { spread } from "../../shared/backoff.ts";
import { findWebhook, forgetFailures } from "../../shared/db/webhooks.ts";
import { isWorthTrying, pauseAfter } from "../../shared/domain/webhooks/pauses.ts";
import { log } from "../../shared/logger.ts";
import { giveUp, putOff, webhookMessage, webhookOfQueue } from "../../shared/messaging/webhook-queue.ts";
import { attemptDelivery } from "../../shared/webhooks/attempt.ts";
import { noteFailure } from "../../shared/webhooks/failures.ts";
import { forQueue, later } from "../../shared/workers/queue-worker.ts";

/**
 * Delivers an event to the receiver of its queue's webhook (D42). A failed delivery is retried after a pause, for 24
 * hours. After that, and while the webhook is disabled, the event goes to the webhook's dead letters.
 */
export const handler = forQueue(webhookMessage, async ({ detail: event }, { now }, delivery) => {
  const webhook = webhookOfQueue(delivery.queue);
  const about = { webhook: webhook.name, event_id: event.id };
  const known = await findWebhook(webhook);
  if (known.health?.disabled_at !== undefined) {
    log("info", "webhook disabled", about);
    return giveUp(webhook, delivery);
  }
  const { isDelivered, isGone, retryAfter, result } = await attemptDelivery(webhook, event, now);
  log(isDelivered ? "info" : "warn", isDelivered ? "webhook delivered" : "webhook failed", { ...about, ...result });
  if (isDelivered) return known.stored && forgetFailures(webhook.name, known);
  const isDisabled = await noteFailure(webhook, known, isGone, now);
  const pause = pauseAfter({ received: delivery.received, retryAfter }, now, spread(0, 1));
  const isOver = isDisabled || !isWorthTrying(delivery.queuedAt, pause, now);
  return isOver ? giveUp(webhook, delivery) : putOff(webhook, delivery, pause).then(() => later);
});
