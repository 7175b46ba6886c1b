import { chunksOf } from "../../shared/batches.ts";
import { busMessage } from "../../shared/contract/events.ts";
import { writeRecord } from "../../shared/db/write-record.ts";
import type { WriteContext } from "../../shared/db/writes/write-plans.ts";
import { type NotificationRequest, parseBusEvent, type RecordEvent } from "../../shared/domain/records/bus-event.ts";
import { log } from "../../shared/logger.ts";
import {
  maxUsersPerMessage,
  type NotificationMessage,
  queueNotifications,
} from "../../shared/messaging/notification-queue.ts";
import { count } from "../../shared/metrics.ts";
import { settings } from "../../shared/settings.ts";
import { forQueue } from "../../shared/workers/queue-worker.ts";

/**
 * Takes in an event of another system: writes its record, or queues the notification that it requests (D25, D35). A
 * repeated or late event changes nothing; an invalid one goes back to the queue.
 */
export const handler = forQueue(busMessage, async (message, context) => {
  const event = parseBusEvent(message, settings.defaultCountry());
  if ("line" in event) await writeRecordOf(event, context);
  else await queueNotifications(inMessages(event.asked));
});

const mostSourceLetters = 64;

/** A source with wrong versions sends nothing but late events, so they are counted by source. */
async function writeRecordOf({ line, source, eventId }: RecordEvent, { now, change }: WriteContext): Promise<void> {
  // A letter may take 4 bytes. With the longest event id the actor fits into one write unit, which the history
  // requires.
  const by = `event#${source.slice(0, mostSourceLetters)}#${eventId}`;
  if ((await writeRecord(line, { now, change: { ...change, by }, notifies: true })) !== "stale") return;
  log("warn", "stale event", { source, record_type: line.type, record_id: line.id });
  count("StaleEvents", { source });
}

function inMessages({ recipients, ...notification }: NotificationRequest): NotificationMessage[] {
  return chunksOf(recipients, maxUsersPerMessage).map((users) => ({ ...notification, recipients: { users } }));
}
