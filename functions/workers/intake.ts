import { busMessage } from "../../shared/contract/events.ts";
import { turnOf, writeRecord } from "../../shared/lines.ts";
import {
  maxUsersPerMessage,
  type NotificationMessage,
  queueNotifications,
} from "../../shared/messages/notification-queue.ts";
import { chunksOf, createTurns } from "../../shared/run/batches.ts";
import { count, log } from "../../shared/run/log.ts";
import { settings } from "../../shared/run/settings.ts";
import { userParts } from "../../shared/table/counters.ts";
import type { WriteContext } from "../../shared/table/plans.ts";
import { createWriteBatches } from "../../shared/table/write-batches.ts";
import { forQueueCalls } from "../../shared/worker.ts";
import { type NotificationRequest, parseBusEvent, type RecordEvent } from "./bus-event.ts";

/**
 * Takes in events of other systems: writes their records, or queues the notifications that they request (D25, D35). All
 * records of a call are written together, those of one record one after the other. A repeated or late event changes
 * nothing. An invalid one goes back to the queue by itself.
 */
export const handler = forQueueCalls(busMessage, () => {
  const commit = createWriteBatches(userParts);
  const inTurn = createTurns();
  return async (message, context) => {
    const event = parseBusEvent(message, settings.defaultCountry());
    if ("asked" in event) return queueNotifications(notificationMessages(event.asked));
    return inTurn(turnOf(event.line), () => writeRecordOf(event, { ...context, commit }));
  };
});

/** Letters of a source's name that the history keeps beside the event's id. */
const mostSourceLetters = 64;

/** A source with wrong versions sends nothing but late events, so they are counted by source. */
async function writeRecordOf({ line, source, eventId }: RecordEvent, context: WriteContext): Promise<void> {
  // A letter may take 4 bytes. With the longest event id the actor fits into one write unit, which the history
  // requires.
  const by = `event#${[...source].slice(0, mostSourceLetters).join("")}#${eventId}`;
  if ((await writeRecord(line, { ...context, change: { ...context.change, by }, notifies: true })) !== "stale") return;
  log("warn", "stale event", { source, record_type: line.type, record_id: line.id });
  count("StaleEvents", { source });
}

function notificationMessages({ recipients, ...notification }: NotificationRequest): NotificationMessage[] {
  return chunksOf(recipients, maxUsersPerMessage).map((users) => ({ ...notification, recipients: { users } }));
}
