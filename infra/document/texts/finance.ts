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
} from "../../../shared/contract/finance.ts";
import { commonFields, invoiceFields, timesheetFields } from "./fields.ts";
import { describes, nested, shapes } from "./text.ts";

export const driverText = shapes(
  driver,
  "The driver whose work a timesheet records, as known when it was last changed.",
  {
    id: ["Id of the driver. Users have ids of their own.", 5],
    financial_company_id: ["Id of the company that the driver works for; null for none.", 1],
    first_name: commonFields.first_name,
    last_name: commonFields.last_name,
    profile_id: ["Driver profile. The user with this `profile_id` is notified when the timesheet is paid.", 5005],
    referral_code: ["Referral code of the driver, up to 100 characters.", "DRV-5005"],
  },
);

export const timelogText = shapes(timelog, "The recorded hours of a timesheet: start, end and breaks.", {
  id: ["Id of the timelog in the system that recorded the hours.", 10_021],
  amend_status: [
    "State of an amendment of the hours, such as `approved`. More values may be added: treat it as text.",
    "approved",
  ],
  breaks: nested("Breaks, oldest first; up to 50, and empty if there were none. A break may have further fields.", {
    id: ["Id of the break, unique within its timelog.", 1],
    start_at: ["Start of the break.", "2026-05-01T12:00:00.000Z"],
    end_at: ["End of the break.", "2026-05-01T12:30:00.000Z"],
    duration: nested("Length of the break, in hours and minutes.", {
      hours: ["Whole hours.", 0],
      minutes: ["Minutes beyond the whole hours, 0 to 59.", 30],
    }),
  }),
  duration: nested("Time worked without breaks, in hours and, if the recording system sends them, minutes.", {
    hours: ["Whole hours.", 8],
    minutes: ["Minutes beyond the whole hours, 0 to 59.", 0],
  }),
  start_at: ["Start of the shift.", "2026-05-01T08:00:00.000Z"],
  end_at: ["End of the shift; it may be on the next day.", "2026-05-01T16:30:00.000Z"],
});

export const timesheetText = shapes(
  timesheet,
  "One driver's work for one company on one day, and whether it has been paid for.",
  {
    ...timesheetFields,
    company_name: [
      "Name of the company that the timesheet belongs to, at the time of the last change.",
      "Harbour Logistics Ltd",
    ],
    driver: ["Driver who did the work."],
    job_title: [
      "Title of the job at the time of the work; later changes of the job do not change it.",
      "Night shift loader",
    ],
    payment_state: ["Always the same as `state`; kept for clients that read this name.", "pending"],
    timelog: ["The recorded hours."],
  },
);

export const invoiceText = shapes(invoice, "A bill to a company for the work of a period.", {
  ...invoiceFields,
  company_name: ["Name of the company that the invoice is addressed to.", "Harbour Logistics Ltd"],
  created_at: [
    "Time at which the invoice was created, which may be days before it was issued.",
    "2026-05-01T08:30:00.000Z",
  ],
  from: ["First day of the billed period.", "2026-04-01"],
  to: ["Last day of the billed period.", "2026-04-30"],
  uuid: [
    "Identifies the invoice across systems, for instance in accounting exports.",
    "0f8fad5b-d9cb-469f-a165-70867728950e",
  ],
  vat_percentage: ["VAT rate that the total contains, in percent.", "20.00"],
});

export const bulkUpdateTimesheetsText = describes(bulkUpdateTimesheets, {
  description: `Sets up to 90 timesheets of your company to one state, in a single transaction: either all of them change or, if
even one id is missing or foreign, none does (404 with \`missing_ids\`). Timesheets that are in that state already count as done, so
repeating a call is harmless; the answer does not show which of them changed. The drivers concerned are notified and get a push.

If the timesheets are of many companies or months, or large, fewer fit into one transaction. The answer is then 422 with the code
\`too_long\`, and its \`detail\` says how many fit. Send the others in further calls.

Users who have a passcode must send it. With an \`Idempotency-Key\`, a repetition after a lost connection pays nothing twice, whoever changed the timesheets since.`,
  body: {
    text: "The timesheets, and their new state.",
    fields: {
      timesheet_ids: [
        "1 to 90 ids from the list of timesheets. Repeated ids count once; the answer keeps this order.",
        [2, 1],
      ],
      state: ["New state of all of them.", "paid"],
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
      "Only invoices in these states, separated by commas. All states if absent or empty.",
      ["pending", "overdue"],
    ],
    from_date: ["Earliest `issued_date`, inclusive.", "2026-04-01"],
    to_date: ["Latest `issued_date`, inclusive; not before `from_date`.", "2026-05-31"],
    by_company: [
      "Id of a company: only its records. For admins; other users get an empty list for a company that is not theirs.",
      1,
    ],
    by_number: [
      "Finds numbers that begin with this text, or with it from a later part on: `inv-2026-0075`, `2026 75` and `75` all find `INV-2026-0075`. Parts are runs of letters or of digits. Case, leading zeros and separators do not matter; at most 64 characters.",
      "INV-2026",
    ],
  },
  answer: {
    text: "A page of invoices that match every filter.",
    fields: { invoices: ["Matching invoices, highest id first; empty past the last page."] },
  },
});

export const listTimesheetsText = describes(listTimesheets, {
  description: `Where a payment run starts: list what is \`pending\`, then pass the ids to \`bulk_update\`. Operators see the timesheets of
their company, admins all of them.

Drivers see those that name their \`profile_id\`, whatever company they worked for, of at most 400 days: those up to \`to_date\` or
today without \`from_date\`. A longer range, or one with more than 1,000 of them, is 422 \`query_too_broad\`: ask for a
part of it.`,
  query: {
    by_state: ["Only timesheets in these states, separated by commas. All states if absent or empty.", ["pending"]],
    from_date: ["Earliest `date`, inclusive.", "2026-04-01"],
    to_date: ["Latest `date`, inclusive; not before `from_date`.", "2026-04-30"],
    by_company: [
      "Id of a company: only its records. For admins; other users get an empty list for a company that is not theirs.",
      1,
    ],
  },
  answer: {
    text: "A page of timesheets that match every filter.",
    fields: { timesheets: ["Matching timesheets, highest id first; empty past the last page."] },
  },
});

export const getInvoiceText = describes(getInvoice, {
  description: `Opens the invoice that a notification or a push is about: its \`record_id\` is this id when \`record_type\` is \`Invoice\`.
The answer is what is stored at this moment, never a delayed copy.`,
  parameters: {
    id: ["Id of the invoice. One that does not exist or belongs to another company is 404.", 1],
  },
  answer: {
    text: "The invoice.",
    fields: { invoice: ["The invoice, with the same fields as in the list."] },
  },
});

export const getTimesheetText = describes(getTimesheet, {
  description: `Shows one day's work with its hours. Drivers may open timesheets that name their own \`profile_id\`, whatever company
they worked for; operators those of their company; admins any.`,
  parameters: { id: ["Id of the timesheet. One that does not exist or that you may not see is 404.", 1] },
  answer: {
    text: "The timesheet.",
    fields: { timesheet: ["The timesheet, with the same fields as in the list."] },
  },
});
