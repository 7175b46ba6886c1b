import { createHash } from "node:crypto";
import type { CountryCode } from "libphonenumber-js/min";
import type * as v from "valibot";
import { busEnvelope, notificationDetail, recordDetail } from "../../shared/contract/events.ts";
import type { RecordLine } from "../../shared/contract/records.ts";
import { parseRecordLine, refuseForbiddenNames } from "../../shared/lines.ts";
import { parseComplete } from "../../shared/records/merge.ts";

/** A notification that another system requests. */
export interface NotificationRequest
  extends Pick<v.InferOutput<typeof notificationDetail>, "record_type" | "record_id" | "params"> {
  /** Stays the same if the event is sent again. No event of another source and no change of the table has it. */
  readonly eventId: string;
  /** The users to notify, each once, without the actor; empty if the actor was the only one. */
  readonly recipients: readonly number[];
}

/** A changed record, and the system that reports it. */
export interface RecordEvent {
  readonly line: RecordLine;
  readonly source: string;
  /** Identifies the event within its source. */
  readonly eventId: string;
}

/** An event of another system: a changed record, or a notification to deliver. */
export type BusEvent = RecordEvent | { readonly asked: NotificationRequest };

/**
 * Reads an event as EventBridge delivers it. Refuses other kinds with `fields_invalid`. Pointers refer to the `detail`,
 * except `/detail-type`, `/source` and `/detail` (D35).
 */
export function parseBusEvent(value: unknown, defaultCountry: CountryCode): BusEvent {
  const { source, detail, ...envelope } = parseComplete(busEnvelope, value);
  refuseForbiddenNames((value as v.InferInput<typeof busEnvelope>).detail);
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
