import { type QueuedEvent, queueEvents } from "../../shared/messages/queues.ts";
import { settings } from "../../shared/run/settings.ts";
import type { StreamRecord } from "../../shared/table/entity.ts";
import { quarantineChange } from "../../shared/workers.ts";
import { readOutboundEvents } from "./outbound-events.ts";

/**
 * Queues the events of a batch of changes if the stage sends any (D42). A change that yields no valid event is
 * quarantined alone. Throws if events cannot be queued, so messages for users must be queued before.
 */
export async function queueOutboundEvents(changes: readonly StreamRecord[], now: Date): Promise<void> {
  const queueUrl = settings.queueUrlIfAny("events");
  if (queueUrl === undefined) return;
  const source = settings.eventSource();
  const queued: QueuedEvent[] = [];
  const quarantined: Promise<void>[] = [];
  for (const change of changes) {
    const { createdAt, requestId } = change;
    const changedAt = createdAt === undefined ? now : new Date(createdAt * 1000);
    try {
      const events = readOutboundEvents({ ...change, changedAt }, source);
      queued.push(...events.map((event) => ({ event, requestId })));
    } catch (error) {
      quarantined.push(quarantineChange(change, error));
    }
  }
  await Promise.all([queueEvents(queueUrl, queued), ...quarantined]);
}
