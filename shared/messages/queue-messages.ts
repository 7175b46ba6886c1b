import * as v from "valibot";
import { longPinDigits, pinDigits } from "../contract/accounts.ts";
import { keyAccesses } from "../contract/operation.ts";
import { id, timestamp } from "../contract/values.ts";
import { settings } from "../run/settings.ts";
import { messageTime, queueMessage, queueMessages, requestIdField } from "./queue.ts";

const passwordNotice = v.object({
  userId: id,
  changedAt: messageTime,
  /** The number of API keys that the new password ended. */
  endedKeys: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0),
  requestId: requestIdField,
});

const apiKeyNotice = v.object({
  userId: id,
  keyId: id,
  validTo: messageTime,
  access: v.picklist(keyAccesses),
  /** True if an engineer made it for the user, who then gets a mail alone. */
  isMinted: v.boolean(),
  requestId: requestIdField,
});

/** A request to notify a user, on every channel, of a new password or a new API key. */
export const noticeMessage = v.union([passwordNotice, apiKeyNotice]);

/** A new password that its user is notified of (D14). */
export type PasswordNotice = v.InferOutput<typeof passwordNotice>;

/** A new API key that its user is notified of (D46). */
export type ApiKeyNotice = v.InferOutput<typeof apiKeyNotice>;

/** Queues notices to users (D14, D46); fails unless all of them are queued. */
export function queueNotices(notices: readonly (PasswordNotice | ApiKeyNotice)[]): Promise<void> {
  return queueMessages(settings.queueUrl("notices"), notices);
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

/** A snapshot of all companies that has to be read anew: a list, and a month or what stands in its place (D30). */
export const refreshMessage = v.object({
  list: v.picklist(["INVOICES", "TIMESHEETS", "JOBS", "COMPANIES"]),
  month: v.pipe(v.string(), v.regex(/^(ALL|MONTHS|\d{4}-\d{2})$/)),
  requestId: requestIdField,
});

/** Asks for snapshots to be read anew; a request asked twice does no harm. */
export async function queueRefreshes(refreshes: readonly v.InferInput<typeof refreshMessage>[]): Promise<void> {
  await Promise.all(refreshes.map((each) => queueMessage(settings.queueUrl("totals"), each)));
}
