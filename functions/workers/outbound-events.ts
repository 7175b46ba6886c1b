import { createHash } from "node:crypto";
import * as v from "valibot";
import {
  dataSchemaOf,
  type OutboundEvent,
  type OutboundEventType,
  outboundEventKinds,
  outboundEventOf,
} from "../../shared/contract/outbound-events.ts";
import { id } from "../../shared/contract/values.ts";
import { type QueuedEvent, queueEvents } from "../../shared/messages/event-queue.ts";
import type { notifyingRecordTypes } from "../../shared/notifications/kinds.ts";
import type { Change } from "../../shared/run/change.ts";
import { settings } from "../../shared/run/settings.ts";
import { timeOfId } from "../../shared/run/time-ordered-id.ts";
import type { StreamRecord } from "../../shared/table/entity.ts";
import { quarantineChange } from "../../shared/worker.ts";
import {
  type ItemImages,
  type NotificationEvent,
  notificationEventOf,
  readNewApiKey,
  readPush,
  requireItem,
} from "./notification-events.ts";

/** The parts of a change of the table that events depend on. */
interface DeliveredImages extends ItemImages {
  /** Stays the same if the change is delivered again. */
  readonly eventId: string;
  readonly changedAt: Date;
}

type Item = NonNullable<ItemImages["after"]>;

const listed = { TIMESHEET: "timesheet", INVOICE: "invoice", JOB: "job" } as const;
const revised = v.object({ revision: v.pipe(v.number(), v.safeInteger(), v.minValue(0)) });
const owned = v.object({ id, company_id: id, record: v.looseObject({}) });
const timed = v.object({
  timer: v.optional(v.number(), 0),
  timer_expires_at: v.optional(v.nullable(v.string()), null),
});

/**
 * The events of a record's change for other systems (D42); silent writes have none. Throws on an item that the service
 * would not write, without quoting it.
 */
export function readOutboundEvents(change: DeliveredImages, source: string): OutboundEvent[] {
  const { after } = change;
  if (!after || after.silent === true) return [];
  const types = [typeOfNews(change), typeOfTimer(change), typeOfUndo(change)];
  return types.flatMap((type) => (type ? [toEvent(type, change, after, source)] : []));
}

/** The kinds of notifications that follow from changes, as types of events: the contract must have each (D42). */
type NewsType = {
  [T in NotificationEvent["record_type"]]: `${Lowercase<T>}.${keyof (typeof notifyingRecordTypes)[T]["kinds"] & string}`;
}[NotificationEvent["record_type"]];

/** The type of what users are notified of, and of a notification itself; undefined for any other change. */
function typeOfNews(change: ItemImages): OutboundEventType | undefined {
  if (readPush(change)) return "notification.created";
  const news = notificationEventOf(change);
  return news && (`${news.record_type.toLowerCase()}.${news.params.type}` as NewsType);
}

/** Clearing a cleared timer again is no event. */
function typeOfTimer({ key, before, after }: ItemImages): OutboundEventType | undefined {
  if (key.sk !== "JOB" || !before) return undefined;
  const [was, is] = [requireItem(timed, before), requireItem(timed, after)];
  const isSame = was.timer === is.timer && was.timer_expires_at === is.timer_expires_at;
  return isSame ? undefined : "job.timer_adjusted";
}

/** The change that wrote a record last says which one it undid. */
function typeOfUndo({ key, before, after }: ItemImages): OutboundEventType | undefined {
  if (key.sk !== "TIMESHEET" && key.sk !== "JOB") return undefined;
  const undone = undoneIn(after);
  return before && undone !== undefined && undone !== undoneIn(before) ? "change.undone" : undefined;
}

function undoneIn(item: Item | undefined): string | undefined {
  return (item as { readonly change?: Partial<Change> } | undefined)?.change?.undoes;
}

function toEvent(type: OutboundEventType, change: DeliveredImages, after: Item, source: string): OutboundEvent {
  const data = dataOf(type, change, after);
  const company = outboundEventKinds[type].hasCompany && { companyid: String(data.company_id) };
  const event = {
    specversion: "1.0",
    id: createHash("sha256")
      .update(JSON.stringify([change.eventId, type]))
      .digest("hex")
      .slice(0, 32),
    source,
    type,
    time: change.changedAt.toISOString(),
    subject: "key_id" in data ? `api_key/${data.key_id}` : subjectOf(change.key.sk, after),
    datacontenttype: "application/json",
    dataschema: dataSchemaOf(type),
    sequence: String(requireItem(revised, after).revision).padStart(16, "0"),
    ...company,
    data,
  };
  return requireItem(outboundEventOf(type), event) as OutboundEvent;
}

function subjectOf(sk: string, after: Item): string {
  return `${sk.startsWith("NOTIFICATION#") ? "notification" : sk.toLowerCase()}/${after.id}`;
}

/** The source of `data`. The schema of the type drops the other fields. */
function dataOf(type: OutboundEventType, change: ItemImages, after: Item): Item {
  const { sk } = change.key;
  if (type === "user.password_changed") return { user_id: after.id, changed_at: after.password_changed_at };
  if (type === "user.api_key_created") return apiKeyOf(change);
  if (type === "notification.created") return notificationOf(after);
  const { id: record_id, company_id, record } = requireItem(owned, after);
  if (type === "change.undone") {
    return { change_id: undoneIn(after), record_id, company_id, record_type: listed[sk as keyof typeof listed] };
  }
  const profile_id = (record.driver as { readonly profile_id?: unknown } | undefined)?.profile_id;
  return { ...record, ...requireItem(timed, after), id: record_id, company_id, profile_id };
}

function apiKeyOf(change: ItemImages): Item {
  const made = readNewApiKey(change);
  if (!made) throw new Error("The change adds no API key");
  const { userId: user_id, keyId: key_id, access, validTo } = made;
  return { user_id, key_id, access, created_at: timeOfId(key_id).toISOString(), expires_at: validTo.toISOString() };
}

function notificationOf({ id, user_id, record }: Item): Item {
  const { params, created_at, record_id, record_type } = record as Item & {
    readonly params?: { readonly type?: unknown };
  };
  return { id, user_id, created_at, record_id, record_type, type: params?.type };
}

/**
 * Queues the events of a batch of changes if the stage sends any (D42). A change that yields no valid event is
 * quarantined alone. Throws if events cannot be queued, so messages for users must be queued before.
 */
export async function queueOutboundEvents(changes: readonly StreamRecord[], now: Date): Promise<void> {
  const queueUrl = settings.queueUrlIfAny("events");
  if (queueUrl === undefined) return;
  const source = settings.eventSource();
  const queued: QueuedEvent[] = [];
  const quarantined: Promise<void>[] = [];
  for (const change of changes) {
    const { createdAt, requestId } = change;
    const changedAt = createdAt === undefined ? now : new Date(createdAt * 1000);
    try {
      const events = readOutboundEvents({ ...change, changedAt }, source);
      queued.push(...events.map((event) => ({ event, requestId })));
    } catch (error) {
      quarantined.push(quarantineChange(change, error));
    }
  }
  await Promise.all([queueEvents(queueUrl, queued), ...quarantined]);
}
