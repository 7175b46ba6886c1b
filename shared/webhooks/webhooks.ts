import { settings, type WebhookSetting } from "../settings.ts";

/** The webhook whose events a queue has. Throws where the stage has none with that queue. */
export function webhookOfQueue(queue: string): WebhookSetting {
  const found = settings.webhooks().find((each) => each.queue === queue);
  if (!found) throw new Error("No webhook of the stage has the queue");
  return found;
}
