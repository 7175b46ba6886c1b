import * as v from "valibot";
import { operation } from "./operation.ts";
import { dateFilter, idParameter, oneRecord, optionalParameter, paging, searchText, severalOf } from "./query.ts";
import {
  bulkIds,
  calendarDate,
  currency,
  decimal,
  id,
  oneLine,
  optionalField,
  timestamp,
  typedDigits,
  uuid,
} from "./values.ts";

/** States of a timesheet (D17). */
export const timesheetStates = ["paid", "pending"] as const;

/** A state of a timesheet. */
export const timesheetState = v.picklist(timesheetStates);

/** State of a timesheet (D17). */
export type TimesheetState = (typeof timesheetStates)[number];

/** States of an invoice (D20). */
export const invoiceStates = ["pending", "paid", "overdue"] as const;

/** A state of an invoice. */
export const invoiceState = v.picklist(invoiceStates);

/** State of an invoice (D20). */
export type InvoiceState = (typeof invoiceStates)[number];

/** The driver embedded in a timesheet. */
export const driver = v.object({
  id,
  financial_company_id: v.nullable(id),
  first_name: oneLine(200),
  last_name: oneLine(200),
  profile_id: id,
  referral_code: oneLine(100),
});

const hours = v.pipe(v.number(), v.integer(), v.minValue(0));
const minutes = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(59));

/** A break within a timelog: id, times and duration, with any further keys (D36). */
const timelogBreak = v.looseObject({
  id,
  start_at: timestamp,
  end_at: timestamp,
  duration: v.looseObject({ hours, minutes }),
});

/** The timelog embedded in a timesheet. */
export const timelog = v.object({
  id,
  amend_status: oneLine(100),
  breaks: v.pipe(v.array(timelogBreak), v.maxLength(50)),
  duration: v.looseObject({ hours, minutes: v.exactOptional(minutes) }),
  start_at: timestamp,
  end_at: timestamp,
});

/** A timesheet as the interface shows it. */
export const timesheet = v.object({
  id,
  company_name: oneLine(200),
  currency,
  date: calendarDate,
  driver,
  job_title: oneLine(200),
  payment_state: timesheetState,
  state: timesheetState,
  timelog,
  total: decimal,
});

/** An invoice as the interface shows it. */
export const invoice = v.object({
  id,
  company_name: oneLine(200),
  created_at: timestamp,
  currency,
  due_date: calendarDate,
  from: calendarDate,
  to: calendarDate,
  issued_date: calendarDate,
  number: oneLine(64),
  state: invoiceState,
  total: decimal,
  uuid: uuid(),
  vat_percentage: decimal,
});

/** The acting user's second secret: 4–8 digits without a leading zero, as a number or a string (D19). */
export const passcode = v.pipe(
  v.union([v.number(), typedDigits]),
  v.transform(String),
  v.regex(/^[1-9][0-9]{3,7}$/, "must be 4 to 8 digits without a leading zero"),
);

/** An optional passcode. 0 is what languages with zero values send for a number that they leave out (D19). */
export const optionalPasscode = optionalField(passcode, [null, "", 0]);

/** PATCH timesheets/bulk_update: all or nothing (D17–D19). */
export const bulkUpdateTimesheets = operation({
  name: "bulk-update-timesheets",
  summary: "Marks timesheets as paid or pending",
  method: "PATCH",
  path: "/api/v1/finance/timesheets/bulk_update",
  access: ["admin", "operator"],
  needsSession: true,
  keys: "act",
  companyBound: true,
  idempotent: true,
  body: {
    object: "timesheet",
    fields: v.object({ timesheet_ids: bulkIds, state: timesheetState, passcode: optionalPasscode }),
  },
  answer: timesheet,
  list: "timesheets",
  refusals: ["records_not_found", "passcode_invalid", "passcode_locked"],
});

const dateRange = {
  from_date: optionalParameter(dateFilter),
  to_date: optionalParameter(dateFilter),
};

function inOrder({ from_date, to_date }: { from_date?: string | undefined; to_date?: string | undefined }): boolean {
  return !(from_date && to_date && from_date > to_date);
}

/** GET invoices with its five filters (D21, D22). */
export const listInvoices = operation({
  name: "list-invoices",
  summary: "Lists invoices, newest id first",
  method: "GET",
  path: "/api/v1/finance/invoices",
  access: ["admin", "operator", "client"],
  keys: "read",
  companyBound: true,
  query: v.pipe(
    v.object({
      by_state: severalOf(invoiceState),
      ...dateRange,
      by_company: optionalParameter(idParameter),
      by_number: optionalParameter(searchText),
      ...paging,
    }),
    v.forward(v.partialCheck([["from_date"], ["to_date"]], inOrder, "must not be after to_date"), ["from_date"]),
  ),
  answer: invoice,
  list: "invoices",
  refusals: ["query_too_broad"],
});

/** GET timesheets, whose ids bulk_update takes; drivers list their own. Date filters compare with `date` (D21, D22, D37). */
export const listTimesheets = operation({
  name: "list-timesheets",
  summary: "Lists timesheets, newest id first",
  method: "GET",
  path: "/api/v1/finance/timesheets",
  access: ["admin", "operator", "driver"],
  keys: "read",
  companyBound: true,
  query: v.pipe(
    v.object({
      by_state: severalOf(timesheetState),
      ...dateRange,
      by_company: optionalParameter(idParameter),
      ...paging,
    }),
    v.forward(v.partialCheck([["from_date"], ["to_date"]], inOrder, "must not be after to_date"), ["from_date"]),
  ),
  answer: timesheet,
  list: "timesheets",
  refusals: ["query_too_broad"],
});

/** GET invoices/{id}: an invoice as in the list (D39). */
export const getInvoice = operation({
  name: "get-invoice",
  summary: "Shows an invoice",
  path: "/api/v1/finance/invoices/{id}",
  access: ["admin", "operator", "client"],
  answer: v.object({ invoice }),
  ...oneRecord,
});

/** GET timesheets/{id}: a timesheet as in the list. Drivers may open their own (D39). */
export const getTimesheet = operation({
  name: "get-timesheet",
  summary: "Shows a timesheet",
  path: "/api/v1/finance/timesheets/{id}",
  access: ["admin", "operator", "driver"],
  answer: v.object({ timesheet }),
  ...oneRecord,
});
