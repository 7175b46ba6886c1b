import * as v from "valibot";
import { invoice } from "../contract/finance.ts";
import { completeRecords, type RecordType, type RemovalLine, type UpsertLine } from "../contract/records.ts";
import { fieldFaults, fieldsInvalid } from "../contract/refusals.ts";
import { decimal } from "../contract/values.ts";
import { settings } from "../run/settings.ts";
import type { ListName } from "../table/counters.ts";
import type { Outcome, WriteContext } from "../table/plans.ts";
import { removeRecord, upsertRecord } from "../table/record-plans.ts";
import { calendarDateIn } from "./business-day.ts";
import { fromTenantFields, listedItems, listedKey, type TenantFields, toTenantFields } from "./items.ts";
import { listWrites } from "./totals.ts";

// Each function merges a line into the stored record: fields left out stay, nested objects are replaced whole except
// for fields of a newer release (D35, D38). An incomplete result is refused with `fields_invalid`.

/** A stored record. Fields of a newer release may be present. */
type StoredFields<T extends RecordType> = v.InferInput<(typeof completeRecords)[T]>;

/** A company after a line. */
export function mergeCompany(stored: StoredFields<"company"> | undefined, line: UpsertLine<"company">) {
  return merge(completeRecords.company, {}, stored, line);
}

/** A user after a line. In a new one, nullable fields left out are null. `company` may name the tenant. */
export function mergeUser(stored: StoredFields<"user"> | undefined, line: UpsertLine<"user">) {
  const nothing = {
    contact_phone_number: null,
    email: null,
    financial_company_id: null,
    job_position: null,
    locale: null,
    phone_number: null,
    profile_id: null,
  };
  const tenant = line.company === undefined ? {} : { financial_company_id: line.company?.id ?? null };
  return merge(completeRecords.user, nothing, stored, { ...tenant, ...line });
}

/** A timesheet after a line. `state` and `payment_state` always agree, and a line may set either (D17). */
function mergeTimesheet(stored: StoredFields<"timesheet"> | undefined, line: UpsertLine<"timesheet">) {
  const state = line.state ?? line.payment_state;
  const states = state && { state, payment_state: state };
  return merge(completeRecords.timesheet, {}, stored, { ...line, ...states });
}

/**
 * An invoice after a line. Without a state in the line a new invoice is pending, and an overdue one is pending again if
 * its due date moves forward. One that would be pending, and was due before today, is overdue, whatever the line says
 * (D20). `today` is called only if it matters.
 */
function mergeInvoice(
  stored: StoredFields<"invoice"> | undefined,
  line: UpsertLine<"invoice">,
  now: Date,
  today: () => string,
) {
  const isLater = stored?.state === "overdue" && (line.due_date ?? "") > stored.due_date;
  const defaults = { state: "pending", created_at: now.toISOString() };
  const reopened = isLater ? { state: "pending" } : {};
  const next = merge(completeRecords.invoice, defaults, stored, { ...reopened, ...line });
  const isOverdue = next.state === "pending" && next.due_date < today();
  return isOverdue ? ({ ...next, state: "overdue" } as const) : next;
}

/** A job after a line. A new one is published now unless the line sets a time. */
function mergeJob(stored: StoredFields<"job"> | undefined, line: UpsertLine<"job">, now: Date) {
  return merge(completeRecords.job, { published_at: now.toISOString() }, stored, line);
}

/** A notification after a line. A new one is created now and unread unless the line says otherwise. */
export function mergeNotification(
  stored: StoredFields<"notification"> | undefined,
  line: UpsertLine<"notification">,
  now: Date,
) {
  const defaults = { created_at: now.toISOString(), read_at: null };
  return merge(completeRecords.notification, defaults, stored, line);
}

/**
 * Merges changes into the stored record. Unchanged fields stay as stored, including fields of a newer contract at any
 * depth (D38).
 */
function merge<S extends ClosedObject>(
  schema: S,
  defaults: object,
  stored: v.InferInput<S> | undefined,
  changes: object,
): v.InferInput<S> {
  const merged = overlay(schema, { ...defaults, ...stored }, changes);
  // A fault that the record already has is not the line's.
  const isOlder = (name: string) =>
    stored !== undefined && Object.hasOwn(stored, name) && !Object.hasOwn(changes, name);
  const complete: object = parseComplete(schema, merged, isOlder);
  if (!stored) return complete as v.InferInput<S>;
  return { ...stored, ...Object.fromEntries(Object.keys(complete).map((name) => [name, merged[name]])) };
}

type ClosedObject = v.ObjectSchema<v.ObjectEntries, undefined>;

type Fields = Readonly<Record<string, unknown>>;

/** The fields whose values have several spellings, with the one in which they are compared. */
const spellings = new Map<v.GenericSchema, (text: string) => string>([
  [decimal, (text) => text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "")],
  [invoice.entries.uuid, (text) => text.toLowerCase()],
]);

/** True where a line spells the stored value in another way, which changes nothing (D35). */
function isRespelt(field: v.GenericSchema, stored: unknown, written: unknown): boolean {
  const spell = spellings.get(field);
  if (spell === undefined || typeof stored !== "string" || typeof written !== "string") return false;
  return spell(stored) === spell(written);
}

/**
 * Merges a closed object. A line has all its fields except those of a newer contract, so only these stay (D38). Open
 * objects and arrays are replaced whole (D35).
 */
function overlay(schema: ClosedObject, stored: object, changes: object): Fields {
  const known: Fields = { ...stored };
  const written = Object.entries(changes).map(([name, value]) => {
    const field = schema.entries[name];
    if (field === undefined) return [name, value];
    if (isRespelt(field, known[name], value)) return [name, known[name]];
    const isNested = isClosed(field) && isObject(known[name]) && isObject(value);
    return [name, isNested ? overlay(field, known[name] as object, value) : value];
  });
  return { ...known, ...Object.fromEntries(written) };
}

function isClosed(schema: { readonly type: string }): schema is ClosedObject {
  return schema.type === "object";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/**
 * Checks that a merged record is complete: fields that a line leaves out must be stored. Refuses with `fields_invalid`,
 * except for exempt fields.
 */

export function parseComplete<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
  isExempt: (field: string) => boolean = () => false,
): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const faults = result.issues.filter(({ path }) => !isExempt(String(path?.[0]?.key)));
  if (faults.length > 0) throw fieldsInvalid(fieldFaults(faults));
  return value;
}

/** Access pattern W2: adds or changes a timesheet. One read unit; one write unit, and two for its indexes. */
export function saveTimesheet(line: UpsertLine<"timesheet">, context: WriteContext): Promise<Outcome> {
  return saveListed("TIMESHEETS", line, context, (stored) => mergeTimesheet(stored, line));
}

/** Access pattern W3: adds or changes an invoice. Costs as W2. */
export function saveInvoice(line: UpsertLine<"invoice">, context: WriteContext): Promise<Outcome> {
  const today = () => calendarDateIn(settings.businessTimeZone(), context.now);
  return saveListed("INVOICES", line, context, (stored) => mergeInvoice(stored, line, context.now, today));
}

/** Access pattern W4: adds or changes a job and keeps its timer. Costs as W2. */
export function saveJob(line: UpsertLine<"job">, context: WriteContext): Promise<Outcome> {
  return saveListed("JOBS", line, context, (stored) => mergeJob(stored, line, context.now));
}

/** Access pattern W5: removes a timesheet, invoice or job. The outcome is `unchanged` if there is none. */
export function removeListed<L extends ListName>(
  list: L,
  line: RemovalLine<RecordType>,
  context: WriteContext,
): Promise<Outcome> {
  return removeRecord(listedItems[list], listedKey(list, line.id), line, context, (stored) =>
    listWrites(list, stored, undefined),
  );
}

function saveListed<L extends ListName>(
  list: L,
  line: UpsertLine<RecordType>,
  context: WriteContext,
  merge: (stored: TenantFields<L> | undefined) => TenantFields<L>,
): Promise<Outcome> {
  return upsertRecord(listedItems[list], listedKey(list, line.id), line, context, (stored) => {
    const next = fromTenantFields(list, merge(stored && toTenantFields(stored)), stored);
    return { next, ...listWrites(list, stored, next) };
  });
}
