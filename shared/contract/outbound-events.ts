import * as v from "valibot";
import { apiKey } from "./api-keys.ts";
import { invoice, timesheet } from "./finance.ts";
import { job } from "./jobs.ts";
import { notification, notificationParams } from "./notifications.ts";
import { id, text, timestamp } from "./values.ts";

/** A kind of event that the service puts on its outbound bus (D42). */
interface OutboundEventKind {
  /** Version of the schema of `data`. It rises with a change that an existing receiver would misread. */
  readonly version: number;
  /** Whether its events have `companyid`. */
  readonly hasCompany: boolean;
  readonly data: v.GenericSchema<unknown, object>;
}

const company_id = id;

/** Data of a timesheet. Of its driver it contains only the profile's id. */
export const timesheetEventData = v.object({
  ...v.pick(timesheet, ["id", "currency", "date", "state", "total"]).entries,
  company_id,
  profile_id: id,
});

/** Data of an invoice. */
export const invoiceEventData = v.object({
  ...v.pick(invoice, ["id", "currency", "due_date", "issued_date", "number", "state", "total"]).entries,
  company_id,
});

/** Data of a new job. */
export const jobEventData = v.object({
  ...v.pick(job, ["id", "job_type", "number", "published_at", "title"]).entries,
  company_id,
});

/** Data of a job's timer: the seconds that were sent, 0 if it was cleared, and the end of the offer window (D24). */
export const timerEventData = v.object({
  id,
  company_id,
  timer: v.pipe(v.number(), v.integer(), v.minValue(0)),
  timer_expires_at: v.nullable(timestamp),
});

/**
 * Data of a notification: its user, kind and record. It has no `params`, because other systems may put anything there.
 */
export const notificationEventData = v.object({
  ...v.pick(notification, ["id", "created_at", "record_id", "record_type"]).entries,
  type: notificationParams.entries.type,
  user_id: id,
});

/** Data of a new password: the user and the time, nothing else. */
export const passwordEventData = v.object({ changed_at: timestamp, user_id: id });

/** Data of a new API key of a user: neither its name nor its secret. */
export const apiKeyEventData = v.object({
  ...v.pick(apiKey, ["access", "created_at", "expires_at"]).entries,
  key_id: id,
  user_id: id,
});

/** Data of one record that an undo restored (D41). Each record has an event of its own. */
export const undoneEventData = v.object({
  change_id: text(100),
  company_id,
  record_id: id,
  record_type: v.picklist(["timesheet", "job"]),
});

/** Every kind of event that goes out, by its `type`, which is also its `detail-type` (D42). */
export const outboundEventKinds = {
  "timesheet.submitted": { version: 1, hasCompany: true, data: timesheetEventData },
  "timesheet.paid": { version: 1, hasCompany: true, data: timesheetEventData },
  "timesheet.pending": { version: 1, hasCompany: true, data: timesheetEventData },
  "invoice.issued": { version: 1, hasCompany: true, data: invoiceEventData },
  "invoice.overdue": { version: 1, hasCompany: true, data: invoiceEventData },
  "invoice.paid": { version: 1, hasCompany: true, data: invoiceEventData },
  "job.published": { version: 1, hasCompany: true, data: jobEventData },
  "job.timer_adjusted": { version: 1, hasCompany: true, data: timerEventData },
  "notification.created": { version: 1, hasCompany: false, data: notificationEventData },
  "user.api_key_created": { version: 1, hasCompany: false, data: apiKeyEventData },
  "user.password_changed": { version: 1, hasCompany: false, data: passwordEventData },
  "change.undone": { version: 1, hasCompany: true, data: undoneEventData },
} as const satisfies Readonly<Record<string, OutboundEventKind>>;

/** The `type` of an event. */
export type OutboundEventType = keyof typeof outboundEventKinds;

/** Every `type` of an event. */
export const outboundEventTypes = Object.keys(outboundEventKinds) as OutboundEventType[];

/** The `data` of the events of a type. */
type OutboundEventData<T extends OutboundEventType> = v.InferOutput<(typeof outboundEventKinds)[T]["data"]>;

/** The URI of the schema of a type's `data`. */
export function dataSchemaOf(type: OutboundEventType): string {
  return `urn:workforce:event:${type}:${outboundEventKinds[type].version}`;
}

/**
 * The envelope of `data`: the attributes of CloudEvents 1.0 with its extension `sequence`, and our own `companyid`.
 * CloudEvents allows only lower-case letters in names of extensions and 32 bits in their integers, so both numbers are
 * text.
 */
export const outboundEnvelope = v.object({
  specversion: v.literal("1.0"),
  /** The id stays the same if the event is sent again. No other event has it. */
  id: v.pipe(v.string(), v.metadata({ maxLength: 32 }), v.regex(/^[0-9a-f]{32}$/)),
  /** `urn:workforce:` and the stage's name. */
  source: v.pipe(v.string(), v.metadata({ maxLength: 34 }), v.regex(/^urn:workforce:[a-z][a-z0-9-]{0,19}$/)),
  type: v.picklist(outboundEventTypes),
  /** The time of the change. */
  time: timestamp,
  /** The event's record as type and id, such as `timesheet/17`. */
  subject: v.pipe(
    v.string(),
    v.metadata({ maxLength: 29 }),
    v.regex(/^(timesheet|invoice|job|notification|user|api_key)\/\d{1,16}$/),
  ),
  datacontenttype: v.literal("application/json"),
  dataschema: text(100),
  /** The record's revision in 16 digits. Of two events about a record, the later has the greater text. */
  sequence: v.pipe(v.string(), v.metadata({ maxLength: 16 }), v.regex(/^\d{16}$/)),
  /** The record's company, if the kind has one. Rules filter by it. */
  companyid: v.exactOptional(v.pipe(v.string(), v.metadata({ maxLength: 16 }), v.regex(/^\d{1,16}$/))),
});

/** A whole event of a type: the `Detail` on the bus. */
export type OutboundEvent<T extends OutboundEventType = OutboundEventType> = T extends OutboundEventType
  ? v.InferOutput<typeof outboundEnvelope> & { readonly type: T; readonly data: OutboundEventData<T> }
  : never;

/** The schema of the events of a type. */
export function outboundEventOf(type: OutboundEventType) {
  const { data, hasCompany } = outboundEventKinds[type];
  const { companyid, ...always } = outboundEnvelope.entries;
  const own = { ...always, type: v.literal(type), dataschema: v.literal(dataSchemaOf(type)), data };
  return hasCompany ? v.object({ ...own, companyid: companyid.wrapped }) : v.object(own);
}
