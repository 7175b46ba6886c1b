import {
  bulkUpdateTimesheets,
  driver,
  getInvoice,
  getTimesheet,
  invoice,
  listInvoices,
  listTimesheets,
  timelog,
  timesheet,
} from "../finance.ts";
import { describes, nested, shapes } from "./text.ts";

export const driverText = shapes(
  driver,
  "The driver whose work a timesheet records, as known when it was last changed.",
  {
    id: ["Identifies the driver among drivers; users have ids of their own.", 5],
    financial_company_id: ["The company that pays the driver; null for one who is engaged by no company.", 1],
    first_name: ["Given name, at most 200 characters.", "Dana"],
    last_name: ["Family name, at most 200 characters.", "Whitfield"],
    profile_id: ["Leads to the person: the user with this `profile_id` is notified when the timesheet is paid.", 5005],
    referral_code: ["Code under which the driver joined, at most 100 characters.", "DRV-5005"],
  },
);

export const timelogText = shapes(
  timelog,
  "The hours behind a timesheet: when work began and ended, and the pauses in between.",
  {
    id: ["Number of the log in the system that recorded the hours.", 10_021],
    amend_status: [
      "The progress of an amendment of the hours, such as `approved`. Further values may come: treat it as text.",
      "approved",
    ],
    breaks: nested(
      "The pauses taken, oldest first; up to 50, and empty for an unbroken shift. A break may have further keys.",
      {
        id: ["Number of the pause, unique within its log.", 1],
        start_at: ["When the pause began.", "2026-05-01T12:00:00.000Z"],
        end_at: ["When work went on.", "2026-05-01T12:30:00.000Z"],
        duration: nested("The length of the pause, in whole hours and the minutes that remain.", {
          hours: ["Full hours of the pause.", 0],
          minutes: ["Minutes of the pause beyond its full hours.", 30],
        }),
      },
    ),
    duration: nested("Time worked without pauses, in whole hours; the recording system may add the rest.", {
      hours: ["Whole hours worked.", 8],
      minutes: ["Minutes worked beyond the whole hours, where the recording system says so.", 0],
    }),
    start_at: ["Start of the shift.", "2026-05-01T08:00:00.000Z"],
    end_at: ["End of the shift; after midnight it lies on the next day.", "2026-05-01T16:30:00.000Z"],
  },
);

export const timesheetText = shapes(
  timesheet,
  "One driver's work for one company on one day, and whether it has been paid for.",
  {
    id: ["The number that `bulk_update` takes in `timesheet_ids`. Higher ids are newer.", 42],
    company_name: ["Name of the company that was worked for, at the time of the last change.", "Harbour Logistics Ltd"],
    currency: ["Currency of `total`.", "GBP"],
    date: ["The working day, which `from_date` and `to_date` compare with.", "2026-05-01"],
    driver: ["The person who did the work."],
    job_title: [
      "Title of the job that was done; a copy, so a later change of the job does not show here.",
      "Night shift loader",
    ],
    payment_state: ["Always the same as `state`; kept for clients that read this name.", "pending"],
    state: [
      "`pending` until the driver has been paid, then `paid`. Set by `bulk_update`, in both directions.",
      "pending",
    ],
    timelog: ["The recorded hours."],
    total: ["The amount that the driver is owed, before tax.", "164.00"],
  },
);

export const invoiceText = shapes(invoice, "A bill to a company for the work of a period.", {
  id: ["Stable for the life of the invoice. Lists are sorted by it, highest first.", 75],
  company_name: ["The company that the bill is addressed to.", "Harbour Logistics Ltd"],
  created_at: [
    "When the invoice was first recorded, which may be days before it was issued.",
    "2026-05-01T08:30:00.000Z",
  ],
  currency: ["Currency of the amount due.", "GBP"],
  due_date: [
    "Last day to pay. At midnight, in the time zone of the business, a `pending` invoice turns `overdue`.",
    "2026-05-31",
  ],
  from: ["First day of the period that is billed.", "2026-04-01"],
  to: ["Last day of the billed period, itself included.", "2026-04-30"],
  issued_date: ["Day on which it was sent out; `from_date` and `to_date` of the list look at this one.", "2026-05-01"],
  number: [
    "The number printed on the bill, unlike `id` meant for people. Search it with `by_number`.",
    "INV-2026-0075",
  ],
  state: ["`pending` is open, `paid` is settled, `overdue` is open past its `due_date`.", "pending"],
  total: ["Amount due including VAT.", "1250.00"],
  uuid: [
    "Identifies the invoice across systems, for instance in accounting exports.",
    "0f8fad5b-d9cb-469f-a165-70867728950e",
  ],
  vat_percentage: ["VAT rate that the total contains, in percent.", "20.00"],
});

export const bulkUpdateTimesheetsText = describes(bulkUpdateTimesheets, {
  description: `Moves up to 90 timesheets of your company to one state, in a single transaction: either all of them change or, if
even one id is missing or foreign, none does (404 with \`missing_ids\`). Timesheets that are in that state already count as done, so
repeating a call is harmless; the answer does not show which of them changed. The drivers concerned are notified and get a push.

If the timesheets are of many companies or months, or large, fewer fit into one transaction. The answer is then 422 with the code
\`too_long\`, and its \`detail\` says how many fit. Send the others in further calls.

Users who have a passcode must send it. With an \`Idempotency-Key\`, a repetition after a lost connection pays nothing twice, whoever changed the timesheets since.`,
  body: {
    text: "Which timesheets to move, and where to.",
    fields: {
      timesheet_ids: [
        "1 to 90 ids from the list of timesheets. Repeated ids count once; the answer keeps this order.",
        [2, 1],
      ],
      state: ["The state they all get.", "paid"],
      passcode: [
        "Your payment passcode: 4 to 8 digits without a leading zero, as a number or as typed text. Needed only if one was set for you; null counts as left out.",
        4821,
      ],
    },
  },
  answer: {
    text: "All of them have the state now.",
    fields: { timesheets: ["Every timesheet named in the request, in the request's order and on one page."] },
  },
});

export const listInvoicesText = describes(listInvoices, {
  description: `Use it to show what is open, to reconcile payments or to find a bill by its number. Operators and clients see their own
company's invoices, admins those of every company. Filters combine with AND.

Follow \`rel="next"\` in the \`Link\` header to read on; that costs the same however deep it goes. \`total\` and the invoices of a
page always agree.`,
  query: {
    by_state: [
      "Show only invoices in these states, separated by commas. Left out or empty, all three are shown.",
      ["pending", "overdue"],
    ],
    from_date: ["Earliest `issued_date` to show, itself included.", "2026-04-01"],
    to_date: ["Latest `issued_date` to show, itself included; not before `from_date`.", "2026-05-31"],
    by_company: [
      "For admins: the company whose invoices are wanted. A company that is not yours gives an empty list, not an error.",
      1,
    ],
    by_number: [
      "Finds numbers that begin with this text, or with it from a later part on: `inv-2026-0075`, `2026 75` and `75` all find `INV-2026-0075`. Parts are runs of letters or of digits. Case, leading zeros and separators do not matter; at most 64 characters.",
      "INV-2026",
    ],
  },
  answer: {
    text: "A page of invoices that match every filter.",
    fields: { invoices: ["The matching invoices, highest id first; empty past the last page."] },
  },
});

export const listTimesheetsText = describes(listTimesheets, {
  description: `Where a payment run starts: list what is \`pending\`, then pass the ids to \`bulk_update\`. Operators see the timesheets of
their company, admins all of them.

Drivers see those that name their \`profile_id\`, whatever company they worked for, of at most 400 days: those up to \`to_date\` or
today without \`from_date\`. A longer range, or one with more than 1,000 of them, is 422 \`query_too_broad\`: ask for a
part of it.`,
  query: {
    by_state: [
      "Restricts the list to `paid` or to `pending` timesheets; both, with a comma, is the same as neither.",
      ["pending"],
    ],
    from_date: ["Leaves out work done before this day.", "2026-04-01"],
    to_date: ["Leaves out work done after this day. Together with `from_date` it may name a single day.", "2026-04-30"],
    by_company: ["Id of a company: admins narrow the list to it, for others only their own has timesheets.", 1],
  },
  answer: {
    text: "A page of timesheets under these filters.",
    fields: { timesheets: ["Timesheets with driver and hours, the newest id on top."] },
  },
});

export const getInvoiceText = describes(getInvoice, {
  description: `Opens the invoice that a notification or a push is about: its \`record_id\` is this id when \`record_type\` is \`Invoice\`.
The answer is what is stored at this moment, never a delayed copy.`,
  parameters: {
    id: [
      "Number of the invoice. One that does not exist, belongs to another company or is no number at all gives the same 404.",
      1,
    ],
  },
  answer: {
    text: "The invoice exists and is yours to see.",
    fields: { invoice: ["The bill, field by field as on the list."] },
  },
});

export const getTimesheetText = describes(getTimesheet, {
  description: `Shows one day's work with its hours. Drivers may open timesheets that name their own \`profile_id\`, whatever company
they worked for; operators those of their company; admins any.`,
  parameters: { id: ["Which timesheet: the `id` from a list, or the `record_id` of a `Timesheet` notification.", 1] },
  answer: {
    text: "Found, with all its hours.",
    fields: { timesheet: ["The day's work as it is recorded now, paid or not."] },
  },
});
