import {
  CreatePlatformEndpointCommand,
  DeleteEndpointCommand,
  EndpointDisabledException,
  InvalidParameterException,
  NotFoundException,
  PublishCommand,
  SetEndpointAttributesCommand,
} from "@aws-sdk/client-sns";
import type { PushService } from "../../shared/contract/devices.ts";
import { pushClient } from "../../shared/messages/send.ts";
import { type PushText, pushTextOf } from "../../shared/notifications/words.ts";
import { count, log, noteSent } from "../../shared/run/log.ts";
import { settings } from "../../shared/run/settings.ts";

/** The contents of a push: the notification's id and its subject. They contain no personal data. */
interface PushContent {
  readonly notificationId: number;
  readonly record_type: string;
  readonly record_id: number;
  /** The kind of event, from the notification's `params`. */
  readonly type: string;
  /** The user's own language, if they have one (D45). */
  readonly locale: string | null | undefined;
}

/** A message in SNS's form for an endpoint of one push service. */
interface PlatformMessage {
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

/** The parts of a device that a push needs. */
interface PushDevice {
  readonly token: string;
  readonly push_service: PushService;
  /** Its endpoint at SNS, once it has one. */
  readonly endpoint_arn?: string | undefined;
}

/**
 * The result of a push, and the endpoint used. `dead` means that the device takes no more pushes; it may have no
 * endpoint.
 */
export type PushOutcome =
  | { readonly result: "sent"; readonly endpointArn: string }
  | { readonly result: "dead"; readonly endpointArn: string | undefined };

/** True if the stage has a platform application for the push service. */
export function servesPushes({ push_service }: Pick<PushDevice, "push_service">): boolean {
  return settings.platformApplications()[push_service] !== undefined;
}

/**
 * Pushes to a device through SNS, and creates a missing endpoint first (D29). Throws errors that are not about the
 * device.
 */
export async function pushToDevice(device: PushDevice, content: PushContent): Promise<PushOutcome> {
  const kept = isOfApplication(device) ? device.endpoint_arn : undefined;
  const result = kept ? await publish(kept, device, content) : "gone";
  if (kept && result !== "gone") return { result, endpointArn: kept };
  const made = await makeEndpoint(device);
  if (!made) return { result: "dead", endpointArn: undefined };
  const second = await publish(made, device, content);
  if (second === "gone") throw new Error("The endpoint that was just made is not there");
  return { result: second, endpointArn: made };
}

/** Logs and counts a dropped device: its push service refused the token, or SNS disabled the endpoint (D29). */
export function reportDropped(
  { id, push_service }: Pick<PushDevice, "push_service"> & { readonly id: number },
  endpointArn: string | undefined,
): void {
  const code = endpointArn === undefined ? "token_refused" : "endpoint_disabled";
  log("warn", "device dropped", { code, device_id: id, push_service });
  count("DevicesDropped", {});
}

/** Deletes the endpoint of a device that takes no more pushes. A missing endpoint is no error. */
export async function deleteEndpoint(EndpointArn: string): Promise<void> {
  await pushClient().send(new DeleteEndpointCommand({ EndpointArn }));
}

/** Returns `gone` if the endpoint does not exist, which says nothing about the device. */
async function publish(
  endpointArn: string,
  { push_service }: PushDevice,
  content: PushContent,
): Promise<"sent" | "dead" | "gone"> {
  const { message, attributes } = renderPush(push_service, content);
  const MessageAttributes = Object.fromEntries(
    Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: "String", StringValue }]),
  );
  const input = { TargetArn: endpointArn, MessageStructure: "json", Message: message, MessageAttributes };
  try {
    await pushClient().send(new PublishCommand(input));
    noteSent("pushes");
    return "sent";
  } catch (error) {
    if (error instanceof EndpointDisabledException) return "dead";
    if (error instanceof NotFoundException || isAbout(error, "TargetArn")) return "gone";
    throw error;
  }
}

/**
 * Creates or finds the endpoint of a token and enables it. A stale token's endpoint would otherwise stay disabled after
 * the device has registered the token again. Undefined if the push service cannot have issued such a token.
 */
async function makeEndpoint({ token, push_service }: PushDevice): Promise<string | undefined> {
  const PlatformApplicationArn = settings.platformApplications()[push_service];
  try {
    const made = await pushClient().send(new CreatePlatformEndpointCommand({ PlatformApplicationArn, Token: token }));
    return await openEndpoint(made.EndpointArn ?? "", token);
  } catch (error) {
    if (!isAbout(error, "Token")) throw error;
    const existing = /Endpoint (arn:\S+) already exists/.exec((error as Error).message)?.[1];
    return existing && openEndpoint(existing, token);
  }
}

async function openEndpoint(EndpointArn: string, Token: string): Promise<string> {
  await pushClient().send(new SetEndpointAttributesCommand({ EndpointArn, Attributes: { Enabled: "true", Token } }));
  return EndpointArn;
}

/** SNS names the refused parameter only in its message. */
function isAbout(error: unknown, parameter: "Token" | "TargetArn"): boolean {
  return error instanceof InvalidParameterException && error.message.startsWith(`Invalid parameter: ${parameter}`);
}

/** An endpoint belongs to one application, and the stage may have changed its application since. */
function isOfApplication({ push_service, endpoint_arn }: PushDevice): boolean {
  const application = settings.platformApplications()[push_service] ?? "";
  return endpoint_arn?.startsWith(`${application.replace(":app/", ":endpoint/")}/`) ?? false;
}
