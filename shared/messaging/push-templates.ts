import type { PushService } from "../contract/devices.ts";
import type { PushText } from "./catalogues/catalogue.ts";
import { catalogueOf, pushTextOf } from "./catalogues/catalogues.ts";

/** What a push contains: the notification's id and what it is about. Nothing of it is personal data. */
export interface PushContent {
  readonly notificationId: number;
  readonly record_type: string;
  readonly record_id: number;
  /** What happened, as the notification's `params` say it. */
  readonly type: string;
  /** The user's own language, if they have one (D45). */
  readonly locale: string | null | undefined;
}

/** A message as SNS takes it for an endpoint of one push service. */
export interface PlatformMessage {
  /** JSON: the service's own payload, as text, under its key. */
  readonly message: string;
  /** What SNS passes on in addition to the payload. */
  readonly attributes: Readonly<Record<string, string>>;
}

const platformKeys = { fcm: "GCM", apns: "APNS", apns_sandbox: "APNS_SANDBOX" } as const;

/** Words a push. One that comes twice shows once: both carry the notification's id to collapse by. */
export function renderPush(service: PushService, content: PushContent): PlatformMessage {
  const words = pushTextOf(catalogueOf(content.locale), content.record_type, content.type);
  const payload = service === "fcm" ? fcmPayload(content, words) : { aps: { alert: words }, ...dataOf(content) };
  const message = JSON.stringify({ default: words.body, [platformKeys[service]]: JSON.stringify(payload) });
  return { message, attributes: service === "fcm" ? {} : apnsAttributes(content) };
}

/** In the form of FCM's HTTP v1 interface; through FCM go Android, the web, and apps of Apple's that chose it. */
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

/** FCM takes text only. */
function dataOf({ notificationId, record_type, record_id, type }: PushContent): Record<string, string> {
  return { notification_id: String(notificationId), record_type, record_id: String(record_id), type };
}
