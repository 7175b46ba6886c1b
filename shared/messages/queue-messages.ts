import * as v from "valibot";
import { longPinDigits, pinDigits } from "../contract/accounts.ts";
import { type OutboundEvent, outboundEnvelope } from "../contract/events.ts";
import { notification, notificationParams } from "../contract/notifications.ts";
import { roles } from "../contract/operation.ts";
import { id, timestamp } from "../contract/values.ts";
import { chunksOf } from "../run/batches.ts";
import { settings } from "../run/settings.ts";
import { messageTime, queueMessage, queueMessages, requestIdField } from "./queue.ts";

/** Most events in a message, because one call puts them all on the bus. */
export const mostEvents = 10;

/** Events on their way to the outbound bus. They were checked before queueing and are passed on unchanged. */
export const eventsMessage = v.object({
  events: v.pipe(
    v.array(v.looseObject({ source: outboundEnvelope.entries.source, type: v.string(), time: v.string() })),
    v.minLength(1),
    v.maxLength(mostEvents),
  ),
  requestId: requestIdField,
});

/** An event, and the request that led to it. */
export interface QueuedEvent {
  readonly event: OutboundEvent;
  readonly requestId?: string | undefined;
}

/** Queues events (D42), those of one request together. Fails unless all are queued. */
export function queueEvents(queueUrl: string, queued: readonly QueuedEvent[]): Promise<void> {
  const byRequest = Map.groupBy(queued, ({ requestId }) => requestId);
  const messages = [...byRequest].flatMap(([requestId, own]) =>
    chunksOf(own, mostEvents).map((some) => ({ events: some.map(({ event }) => event), requestId })),
  );
  return queueMessages(queueUrl, messages);
}

/** A request to notify a user, on every channel, of a new password. */
export const noticeMessage = v.object({ userId: id, changedAt: messageTime, requestId: requestIdField });

/** Queues notices to users (D14); fails unless all of them are queued. */
export function queueNotices(notices: readonly v.InferOutput<typeof noticeMessage>[]): Promise<void> {
  return queueMessages(settings.queueUrl("notices"), notices);
}

/** Most users in one message. An event with more recipients becomes several messages. */
export const maxUsersPerMessage = 200;

/** The rule for the recipients: a company's users in a role, from a position on, or the first of them; a driver; or listed users. */
const recipients = v.union([
  v.strictObject({
    company: id,
    role: v.picklist(roles),
    after: v.optional(v.string()),
    most: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxUsersPerMessage))),
  }),
  v.strictObject({ profile: id }),
  v.strictObject({ users: v.pipe(v.array(id), v.minLength(1), v.maxLength(maxUsersPerMessage)) }),
]);

/** A notification on its way to delivery. Each recipient except the actor gets it once for each `eventId` (D25). */
export const notificationMessage = v.object({
  eventId: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  record_type: notification.entries.record_type,
  record_id: notification.entries.record_id,
  params: notificationParams,
  actorId: v.optional(id),
  /** The record's state that it reports, of records with one (D25). */
  state: v.optional(v.string()),
  requestId: requestIdField,
  recipients,
});

/** A notification and its recipients. */
export type NotificationMessage = v.InferOutput<typeof notificationMessage>;

/** Queues notifications. Fails unless all are queued. */
export function queueNotifications(messages: readonly NotificationMessage[]): Promise<void> {
  return queueMessages(settings.queueUrl("notifications"), messages);
}

const whole = v.pipe(v.number(), v.safeInteger());

/** A request for a pin as it travels from the API to the worker; the login is in its normal form. */
export const pinRequest = v.object({
  login: v.string(),
  channel: v.picklist(["email", "sms"]),
  /** True for a login that no user has, while it is registered (D16). */
  registers: v.boolean(),
  /** True if its client proved an earlier session of the login (D11). */
  isKnown: v.boolean(),
  /** The client, by a keyed hash (D11). */
  client: v.string(),
  requestedAt: timestamp,
  /** The request that the pin is made from. */
  requestId: v.string(),
  /** The pin as the request left it. */
  pin: v.object({
    request_id: v.string(),
    asked_at: timestamp,
    valid_to: timestamp,
    digits: v.picklist<readonly number[]>([pinDigits, longPinDigits]),
    day: v.string(),
    messages: whole,
    proved: whole,
    tries: whole,
    sent: whole,
  }),
});

/** Queues a request for a pin. Known and unknown logins alike, so that the answer's time reveals nothing (D12). */
export function queuePinRequest(request: v.InferOutput<typeof pinRequest>): Promise<void> {
  return queueMessage(settings.queueUrl("pins"), request);
}

/** A notification to push to its user's devices. */
export const pushMessage = v.object({ userId: id, notificationId: id, requestId: requestIdField });

/** Queues pushes (D29). Fails unless all are queued. */
export function queuePushes(pushes: readonly v.InferOutput<typeof pushMessage>[]): Promise<void> {
  return queueMessages(settings.queueUrl("pushes"), pushes);
}
