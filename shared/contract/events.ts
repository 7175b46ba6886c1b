import * as v from "valibot";
import { notification } from "./notifications.ts";
import { recordTypes, storableParams, version } from "./records.ts";
import { id, text } from "./values.ts";

/** The kinds of event that other systems put on the event bus; each is an EventBridge `detail-type` (D25, D35). */
const busEventTypes = ["Record", "Notification"] as const;

/** Most users that one event may name as recipients. */
export const maxRecipients = 1_000;

/** The types of record that events may be about: all except users, which only imports bring (D35). */
const eventRecordTypes = recordTypes.filter((type) => type !== "user");

/** The id of an event within its source: 1 to 200 visible ASCII characters. An event sent again keeps it. */
const eventId = v.pipe(
  v.string(),
  v.regex(/^[\x21-\x7e]{1,200}$/, "must be 1 to 200 visible ASCII characters without spaces"),
);

/** An incoming event before validation: any JSON. `parseBusEvent` reads it and reports its faults. */
export const busMessage = v.unknown();

/** The parts of EventBridge's envelope that the service uses. */
export const busEnvelope = v.object({
  "detail-type": v.picklist(busEventTypes),
  source: text(256),
  detail: v.looseObject({}),
});

/** Detail of a `Record` event: an import line (`records.ts`) with its `event_id` and a required `version`. */
export const recordDetail = v.looseObject({ event_id: eventId, type: v.picklist(eventRecordTypes), version });

/** Detail of a `Notification` event: a notification for its recipients except the actor, for each once (D25). */
export const notificationDetail = v.strictObject({
  event_id: eventId,
  recipients: v.pipe(v.array(v.unknown()), v.minLength(1), v.maxLength(maxRecipients), v.array(id)),
  /** The user who made the change, who is never notified of it. */
  actor_id: v.optional(v.nullable(id)),
  record_type: notification.entries.record_type,
  record_id: notification.entries.record_id,
  params: storableParams,
});
