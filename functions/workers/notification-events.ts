import * as v from "valibot";
import { invoiceState, timesheetState } from "../../shared/contract/finance.ts";
import { keyAccesses } from "../../shared/contract/operation.ts";
import { id, timestamp } from "../../shared/contract/values.ts";
import type { ApiKeyNotice, PasswordNotice } from "../../shared/messages/queue-messages.ts";
import { notifyingRecordTypes, type Recipients } from "../../shared/notifications/kinds.ts";

/** One change of the table: an item before and after it; undefined where there was or is none. */
export interface ItemImages {
  readonly key: { readonly sk: string };
  readonly before: Readonly<Record<string, unknown>> | undefined;
  readonly after: Readonly<Record<string, unknown>> | undefined;
}

/** The event, and the names of the record that its notification is shown with, at this moment (D45). */
type EventParams = {
  readonly type: string;
  readonly title?: string | undefined;
  readonly number?: string | undefined;
  readonly date?: string | undefined;
};

/** The meaning of a record's change for users, and its recipients (D25). */
export interface NotificationEvent {
  readonly record_type: Exclude<keyof typeof notifyingRecordTypes, "Chat">;
  readonly record_id: number;
  readonly params: EventParams;
  readonly recipients: readonly Recipients[];
  /** The user who made the change, who is never notified of it. */
  readonly actorId: number | undefined;
  /**
   * The record's state that the event reports, if the record has one. Once the state has changed, nobody is notified of
   * the event.
   */
  readonly state?: string | undefined;
}

/** A notification that its user's devices are to show. */
export interface Push {
  readonly userId: number;
  readonly notificationId: number;
}

type DomainEvent = Omit<NotificationEvent, "actorId"> | undefined;
type ReadMeaning = (after: unknown, before: ItemImages["before"]) => DomainEvent;

const changed = v.object({ silent: v.optional(v.boolean()), changed_by: v.optional(id) });
/** Names the record in the list of notifications. A record that lacks it is notified all the same. */
const words = v.optional(v.string());
const job = v.object({ id, company_id: id, record: v.optional(v.object({ title: words })) });
const timesheet = v.object({
  id,
  company_id: id,
  record: v.object({ state: timesheetState, driver: v.object({ profile_id: id }), date: words }),
});
const invoice = v.object({ id, company_id: id, record: v.object({ state: invoiceState, number: words }) });
const user = v.object({ id, password_changed_at: v.optional(timestamp), ended_keys: v.optional(v.number(), 0) });
const apiKeys = v.object({
  user_id: id,
  keys: v.record(
    v.string(),
    v.object({ access: v.picklist(keyAccesses), valid_to: timestamp, minted_by: v.optional(v.string()) }),
  ),
});
const notification = v.object({ id, user_id: id });

const meanings = {
  JOB: readJob,
  TIMESHEET: readTimesheet,
  INVOICE: readInvoice,
  USER: readUser,
  APIKEYS: readApiKeys,
} as const satisfies Readonly<Record<Uppercase<NotificationEvent["record_type"]> | "APIKEYS", ReadMeaning>>;

/**
 * The event of a record's change, if it has one. Removals, silent writes and other kinds of items have none (D25).
 * Throws on an item that the service would not write.
 */
export function notificationEventOf(change: ItemImages): NotificationEvent | undefined {
  const { key, before, after } = change;
  const [kind = ""] = key.sk.split("#");
  if (!after || !isKind(kind)) return undefined;
  const { silent, changed_by: actorId } = requireItem(changed, after);
  const meaning = silent ? undefined : meanings[kind](after, before);
  return meaning && { ...meaning, actorId };
}

/**
 * The push that a change requires: for a new notification that was not written silently (D29). Throws as `readEvent`.
 */
export function readPush({ key, before, after }: ItemImages): Push | undefined {
  if (!key.sk.startsWith("NOTIFICATION#") || before || after?.push !== true) return undefined;
  const { id: notificationId, user_id: userId } = requireItem(notification, after);
  return { userId, notificationId };
}

/**
 * What a change asks to be sent to its user on every channel, unless it was written silently: a new password (D14), or a new API
 * key (D46). Throws as `readEvent`.
 */
export function readNotice({ key, before, after }: ItemImages): PasswordNotice | ApiKeyNotice | undefined {
  if (!after || after.silent === true) return undefined;
  if (key.sk === "USER") return newPassword(after, before);
  return key.sk === "APIKEYS" ? readNewApiKey({ before, after }) : undefined;
}

function readJob(after: unknown, before: unknown): DomainEvent {
  if (before) return undefined;
  const { id: record_id, company_id: company, record } = requireItem(job, after);
  const recipients = notifyingRecordTypes.Job.kinds.published.recipients({ company });
  return { record_type: "Job", record_id, params: { type: "published", title: record?.title }, recipients };
}

/** A new pending timesheet waits for its payment, whatever becomes of it: the event reports no state. */
function readTimesheet(after: unknown, before: unknown): DomainEvent {
  const { id: record_id, company_id: company, record } = requireItem(timesheet, after);
  if (before && record.state === stateOf(before)) return undefined;
  const isSubmitted = !before && record.state === "pending";
  const type = isSubmitted ? "submitted" : record.state;
  const facts = { company, profile: record.driver.profile_id };
  const recipients = notifyingRecordTypes.Timesheet.kinds[type].recipients(facts);
  // The job's title is left out: where it is free text, it may name somebody.
  const params = { type, date: record.date };
  const about = { record_type: "Timesheet", record_id, params, recipients } as const;
  return isSubmitted ? about : { ...about, state: record.state };
}

/** An invoice that becomes pending again is no event. */
function readInvoice(after: unknown, before: unknown): DomainEvent {
  const { id: record_id, company_id: company, record } = requireItem(invoice, after);
  if (before && (record.state === "pending" || record.state === stateOf(before))) return undefined;
  const type = record.state === "pending" ? "issued" : record.state;
  const recipients = notifyingRecordTypes.Invoice.kinds[type].recipients({ company });
  const params = { type, number: record.number };
  return { record_type: "Invoice", record_id, params, recipients, state: record.state };
}

function readUser(after: unknown, before: ItemImages["before"]): DomainEvent {
  const change = newPassword(after, before);
  if (!change) return undefined;
  const recipients = notifyingRecordTypes.User.kinds.password_changed.recipients({ user: change.userId });
  return { record_type: "User", record_id: change.userId, params: { type: "password_changed" }, recipients };
}

/** Compares times, not hashes: renewing the hash of an unchanged password is no event. */
function newPassword(after: unknown, before: ItemImages["before"]): PasswordNotice | undefined {
  const { id: userId, password_changed_at: at, ended_keys: endedKeys } = requireItem(user, after);
  const isRise = before && at !== undefined && at > String(before.password_changed_at ?? "");
  return isRise ? { userId, changedAt: new Date(at), endedKeys } : undefined;
}

/** A key that an engineer made for the user is in no list and on no device: its user gets a mail. */
function readApiKeys(after: unknown, before: ItemImages["before"]): DomainEvent {
  const made = readNewApiKey({ before, after: after as ItemImages["after"] });
  if (!made || made.isMinted) return undefined;
  const recipients = notifyingRecordTypes.User.kinds.api_key_created.recipients({ user: made.userId });
  return { record_type: "User", record_id: made.userId, params: { type: "api_key_created" }, recipients };
}

/** The API key that a change adds to a user's: each write adds one at most. */
export function readNewApiKey({ before, after }: Pick<ItemImages, "before" | "after">): ApiKeyNotice | undefined {
  const { user_id: userId, keys } = requireItem(apiKeys, after);
  const known = (before?.keys ?? {}) as object;
  const [id, key] = Object.entries(keys).find(([each]) => !Object.hasOwn(known, each)) ?? [];
  if (id === undefined || !key) return undefined;
  const { access, valid_to, minted_by } = key;
  const isMinted = minted_by !== undefined;
  return { userId, keyId: Number(id), validTo: new Date(valid_to), access, isMinted };
}

/** The earlier state counts as far as it is readable. A fault in it may have been repaired since. */
function stateOf(before: unknown): unknown {
  return (before as { readonly record?: { readonly state?: unknown } }).record?.state;
}

function isKind(kind: string): kind is keyof typeof meanings {
  return Object.hasOwn(meanings, kind);
}

/** Replaces the parser's error, which quotes its input and must not be logged. */
export function requireItem<S extends v.GenericSchema>(schema: S, item: unknown): v.InferOutput<S> {
  const read = v.safeParse(schema, item);
  if (!read.success) throw new Error("The changed item is malformed");
  return read.output;
}
