import type { PushService } from "../../shared/contract/devices.ts";
import { type PushText, pushTextOf } from "../../shared/notifications/words.ts";

/** The contents of a push: the notification's id and its subject. They contain no personal data. */
export interface PushContent {
  readonly notificationId: number;
  readonly record_type: string;
  readonly record_id: number;
  /** The kind of event, from the notification's `params`. */
  readonly type: string;
  /** The user's own language, if they have one (D45). */
  readonly locale: string | null | undefined;
}

/** A message in SNS's form for an endpoint of one push service. */
export interface PlatformMessage {
  /** JSON with the service's payload as text under its key. */
  readonly message: string;
  /** Attributes that SNS passes on beside the payload. */
  readonly attributes: Readonly<Record<string, string>>;
}

const platformKeys = { fcm: "GCM", apns: "APNS", apns_sandbox: "APNS_SANDBOX" } as const;

/** Renders a push. It carries the notification's id as collapse key, so that a duplicate shows only once. */
export function renderPush(service: PushService, content: PushContent): PlatformMessage {
  const words = pushTextOf(content.locale, content.record_type, content.type);
  const payload = service === "fcm" ? fcmPayload(content, words) : { aps: { alert: words }, ...dataOf(content) };
  const message = JSON.stringify({ default: words.body, [platformKeys[service]]: JSON.stringify(payload) });
  return { message, attributes: service === "fcm" ? {} : apnsAttributes(content) };
}

/** The form of FCM's HTTP v1 interface. FCM serves Android, the web, and Apple apps that chose it. */
function fcmPayload(content: PushContent, notification: PushText): object {
  const id = String(content.notificationId);
  const message = {
    notification,
    data: dataOf(content),
    android: { collapse_key: id, priority: "high", notification: { tag: id } },
    webpush: { headers: { Topic: id }, notification: { ...notification, tag: id } },
    apns: { headers: { "apns-collapse-id": id } },
  };
  return { fcmV1Message: { message } };
}

function apnsAttributes({ notificationId }: PushContent): Record<string, string> {
  return {
    "AWS.SNS.MOBILE.APNS.COLLAPSE_ID": String(notificationId),
    "AWS.SNS.MOBILE.APNS.PUSH_TYPE": "alert",
    "AWS.SNS.MOBILE.APNS.PRIORITY": "10",
  };
}

/** FCM accepts only text values. */
function dataOf({ notificationId, record_type, record_id, type }: PushContent): Record<string, string> {
  return { notification_id: String(notificationId), record_type, record_id: String(record_id), type };
}
