import { decodeChange } from "../../shared/entities.ts";
import { type NotificationMessage, queueNotifications } from "../../shared/messages/notification-queue.ts";
import { queueNotices, queuePushes } from "../../shared/messages/queue-messages.ts";
import { settings } from "../../shared/run/settings.ts";
import type { StreamRecord } from "../../shared/table/entity.ts";
import { forStream } from "../../shared/worker.ts";
import { notificationEventOf, readNotice, readPush } from "./notification-events.ts";
import { queueOutboundEvents } from "./outbound-events.ts";

/**
 * Turns changes of records into messages that notify the recipients (D25), new passwords and API keys into notices (D14, D46), new
 * notifications into pushes where the stage pushes at all (D29), and all of them into events for other systems where it sends
 * any (D42). It writes nothing: a change that comes again has the same event id.
 */
export const handler = forStream(async (batch, now) => {
  const changes = batch.map(decodeChange);
  const isPushing = Object.keys(settings.platformApplications()).length > 0;
  const messages = changes.flatMap(messagesOf);
  const pushes = isPushing ? changes.flatMap(withRequest(readPush)) : [];
  const notices = changes.flatMap(withRequest(readNotice));
  await Promise.all([queueNotifications(messages), queuePushes(pushes), queueNotices(notices)]);
  // After everything for users, so that an event that cannot be queued keeps no message from them.
  await queueOutboundEvents(changes, now);
});

function messagesOf(change: StreamRecord): NotificationMessage[] {
  const event = notificationEventOf(change);
  if (!event) return [];
  const { recipients, ...notification } = event;
  const { eventId, requestId } = change;
  return recipients.map((each) => ({ ...notification, eventId, recipients: each, requestId }));
}

/** The message that a change asks for, if any, with the request that the change follows from: a batch follows from several. */
function withRequest<T extends object>(read: (change: StreamRecord) => T | undefined) {
  return (change: StreamRecord) => {
    const asked = read(change);
    return asked ? [{ ...asked, requestId: change.requestId }] : [];
  };
}
