import { type UpsertLine, type WholeRecord, wholeRecords } from "../../contract/records.ts";
import { requireWhole } from "./record-line.ts";

// Each function lays a line over what is stored: fields left out stay, nested objects are replaced whole (D35). What is
// not whole after that is refused with `fields_invalid`.

/** A company as a line leaves it. */
export function mergeCompany(stored: WholeRecord<"company"> | undefined, line: UpsertLine<"company">) {
  return requireWhole(wholeRecords.company, { ...stored, ...line });
}

/** A user as a line leaves it; a new one has null where a nullable field was left out. `company` may name the tenant. */
export function mergeUser(stored: WholeRecord<"user"> | undefined, line: UpsertLine<"user">) {
  const nothing = {
    contact_phone_number: null,
    email: null,
    financial_company_id: null,
    job_position: null,
    phone_number: null,
    profile_id: null,
  };
  const tenant = line.company === undefined ? {} : { financial_company_id: line.company?.id ?? null };
  return requireWhole(wholeRecords.user, { ...nothing, ...stored, ...tenant, ...line });
}

/** A timesheet as a line leaves it; `state` and `payment_state` always agree, and either may be given (D17). */
export function mergeTimesheet(stored: WholeRecord<"timesheet"> | undefined, line: UpsertLine<"timesheet">) {
  const state = line.state ?? line.payment_state;
  return requireWhole(wholeRecords.timesheet, { ...stored, ...line, ...(state && { state, payment_state: state }) });
}

/**
 * An invoice as a line leaves it. A state in the line wins. Without one a new invoice is pending, and an overdue one
 * whose due date moves forward, to today or later, is pending again (D20). Today is asked for only where it counts.
 */
export function mergeInvoice(
  stored: WholeRecord<"invoice"> | undefined,
  line: UpsertLine<"invoice">,
  now: Date,
  today: () => string,
) {
  const due = line.due_date ?? "";
  const isLater = stored?.state === "overdue" && due > stored.due_date;
  const isDueAgain = isLater && due >= today();
  const defaults = { state: "pending", created_at: now.toISOString() };
  const reopened = isDueAgain ? { state: "pending" } : {};
  return requireWhole(wholeRecords.invoice, { ...defaults, ...stored, ...reopened, ...line });
}

/** A job as a line leaves it; a new one is published now unless the line says when. */
export function mergeJob(stored: WholeRecord<"job"> | undefined, line: UpsertLine<"job">, now: Date) {
  return requireWhole(wholeRecords.job, { published_at: now.toISOString(), ...stored, ...line });
}

/** A notification as a line leaves it; a new one is made now and unread unless the line says otherwise. */
export function mergeNotification(
  stored: WholeRecord<"notification"> | undefined,
  line: UpsertLine<"notification">,
  now: Date,
) {
  const defaults = { created_at: now.toISOString(), read_at: null };
  return requireWhole(wholeRecords.notification, { ...defaults, ...stored, ...line });
}
