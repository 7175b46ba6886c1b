import { createHash } from "node:crypto";
import type { CountryCode } from "libphonenumber-js/min";
import type * as v from "valibot";
import { busEnvelope, notificationDetail, recordDetail } from "../../contract/events.ts";
import type { RecordLine } from "../../contract/records.ts";
import { parseComplete, parseRecordLine } from "./record-line.ts";

/** A notification as another system asks for it. */
export interface NotificationRequest
  extends Pick<v.InferOutput<typeof notificationDetail>, "record_type" | "record_id" | "params"> {
  /** The same however often the event comes; no event of another source and no change of the table has it. */
  readonly eventId: string;
  /** The users to notify, each once, without the actor; none when the actor was the only one. */
  readonly recipients: readonly number[];
}

/** A record that changed, and the system that says so. */
export interface RecordEvent {
  readonly line: RecordLine;
  readonly source: string;
  /** Names the event among those of its source. */
  readonly eventId: string;
}

/** An event of another system: a record that changed, or a notification that it wants delivered. */
export type BusEvent = RecordEvent | { readonly asked: NotificationRequest };

/**
 * Reads an event as EventBridge hands it over; refuses with `fields_invalid` what is none of the kinds that are known.
 * Pointers point into the `detail`, except those to `/detail-type`, `/source` and `/detail` (D35).
 */
export function parseBusEvent(value: unknown, defaultCountry: CountryCode): BusEvent {
  const { source, detail, ...envelope } = parseComplete(busEnvelope, value);
  if (envelope["detail-type"] === "Notification") {
    return { asked: readNotification(source, parseComplete(notificationDetail, detail)) };
  }
  const { event_id: eventId, ...line } = parseComplete(recordDetail, detail);
  return { line: parseRecordLine(line, defaultCountry), source, eventId };
}

function readNotification(
  source: string,
  { event_id, recipients, actor_id, ...content }: v.InferOutput<typeof notificationDetail>,
): NotificationRequest {
  const eventId = `bus-${createHash("sha256")
    .update(JSON.stringify([source, event_id]))
    .digest("base64url")}`;
  return { ...content, eventId, recipients: [...new Set(recipients)].filter((userId) => userId !== actor_id) };
}
