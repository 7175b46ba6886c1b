import {
  invoiceEventData,
  jobEventData,
  notificationEventData,
  type OutboundEventType,
  outboundEnvelope,
  passwordEventData,
  timerEventData,
  timesheetEventData,
  undoneEventData,
} from "../outbound-events.ts";
import type { tagTexts } from "./interface.ts";
import { shapes } from "./text.ts";

/** The document's texts for a kind of event, and its tag. */
interface EventText {
  readonly tag: keyof typeof tagTexts;
  readonly summary: string;
  readonly description: string;
}

/** The texts by `type`. */
export const eventTexts: Readonly<Record<OutboundEventType, EventText>> = {
  "timesheet.submitted": {
    tag: "finance",
    summary: "A timesheet is new",
    description: "It came in and waits for its payment. One that comes in as paid is `timesheet.paid` instead.",
  },
  "timesheet.paid": {
    tag: "finance",
    summary: "A timesheet was paid",
    description:
      "The payment state turned to `paid`, by a bulk update, an import or another system; or it came in as paid.",
  },
  "timesheet.pending": {
    tag: "finance",
    summary: "A timesheet is unpaid again",
    description: "It was paid, and no longer is. One that is new and unpaid is `timesheet.submitted`.",
  },
  "invoice.issued": {
    tag: "finance",
    summary: "An invoice is new",
    description: "It came in and waits for its money. One that turns back to `pending` later makes no event.",
  },
  "invoice.overdue": {
    tag: "finance",
    summary: "An invoice missed its due date",
    description: "The nightly run found its last day over; or its owner's system says so.",
  },
  "invoice.paid": {
    tag: "finance",
    summary: "An invoice was settled",
    description: "The money is there, as the system says that the invoice comes from.",
  },
  "job.published": {
    tag: "jobs",
    summary: "A job is new",
    description: "An offer appeared in the lists. Later edits of its text make no event.",
  },
  "job.timer_adjusted": {
    tag: "jobs",
    summary: "A job's timer was set or cleared",
    description:
      "The window in which the offer can be taken has another end, or none. Ask no list for it: no answer shows timers.",
  },
  "notification.created": {
    tag: "notifications",
    summary: "A user has a new notification",
    description:
      "One that devices show, so none of a new timesheet. Says whose it is and what it is about, not what it says: texts of other systems stay inside. Company-bound receivers get none, as it belongs to a person.",
  },
  "user.password_changed": {
    tag: "account",
    summary: "A user has a new password",
    description:
      "For systems that watch accounts. It has the user's id and the moment, and no other fact about either.",
  },
  "change.undone": {
    tag: "finance",
    summary: "A record was put back by an undo",
    description:
      "One event for each record of the change that was taken back. The state that the record is in again makes an event of its own.",
  },
};

export const outboundEnvelopeText = shapes(
  outboundEnvelope,
  "The envelope of every event: the attributes of CloudEvents 1.0, in JSON.",
  {
    specversion: ["Version of CloudEvents.", "1.0"],
    id: ["Drop an event whose id you have seen: copies keep it.", "7d9c3f1e5a2b4c6d8e0f1a2b3c4d5e6f"],
    source: ["Names the stage that speaks: `urn:workforce:` and how the stage is called.", "urn:workforce:prod"],
    type: ["The kind of event. Expect kinds that are not listed yet.", "timesheet.paid"],
    time: ["Second in which the change was stored.", "2026-05-04T16:00:07.000Z"],
    subject: ["Kind and key of what changed, with a slash between.", "timesheet/17"],
    datacontenttype: ["The media type of `data`.", "application/json"],
    dataschema: ["Name of the schema of `data`, its version at the end.", "urn:workforce:event:timesheet.paid:1"],
    sequence: [
      "Revision of the subject in 16 digits. Events overtake each other: compare as text, and ignore what is lower than the last you took.",
      "0001777910407000",
    ],
    companyid: ["Tenant of the subject, as text; missing from events that concern a person.", "1"],
  },
);

export const timesheetEventText = shapes(timesheetEventData, "A timesheet, without who worked.", {
  id: ["Opens it at `GET /api/v1/finance/timesheets/{id}`.", 17],
  currency: ["The currency that the driver is paid in.", "GBP"],
  date: ["Day of the shift.", "2026-05-04"],
  state: ["`paid` or `pending`, after the change.", "paid"],
  total: ["Sum that the driver gets for it.", "120.00"],
  company_id: ["Whose timesheet: the client company.", 1],
  profile_id: ["Driver's profile, an id that says no name.", 70],
});

export const invoiceEventText = shapes(invoiceEventData, "An invoice, without addresses and people.", {
  id: ["Key of the bill, for `GET /api/v1/finance/invoices/{id}`.", 12],
  currency: ["Unit of the bill.", "GBP"],
  due_date: ["Until when money was expected.", "2026-06-01"],
  issued_date: ["Printed on the bill as its day.", "2026-05-01"],
  number: ["The number that bookkeepers use.", "INV-2026-00012"],
  state: ["The state from now on.", "paid"],
  total: ["Gross amount.", "1250.00"],
  company_id: ["The debtor.", 1],
});

export const jobEventText = shapes(jobEventData, "An offer as it was published.", {
  id: ["The new offer's key; `GET /api/v1/jobs/{id}` shows it.", 13],
  job_type: ["Sort of employment.", "part_time"],
  number: ["The number that callers quote.", 4013],
  published_at: ["Start of its visibility.", "2026-05-01T09:00:00.000Z"],
  title: ["Its headline, up to 200 characters.", "Forklift driver"],
  company_id: ["The employer, by its number.", 1],
});

export const timerEventText = shapes(timerEventData, "The new end of an offer's window.", {
  id: ["The job that the timer is of.", 13],
  company_id: ["Employer behind that job.", 1],
  timer: ["Length in seconds, as the administrator sent it; 0 took the limit away.", 3600],
  timer_expires_at: ["Last moment for drivers; null if there is no limit.", "2026-05-04T17:00:07.000Z"],
});

export const notificationEventText = shapes(notificationEventData, "A notification, without its text.", {
  id: ["Unique together with the user.", 20_012],
  created_at: ["Birth of the notification.", "2026-05-04T16:00:07.000Z"],
  record_id: ["Which one of those it reports on.", 17],
  record_type: ["Class of the reported thing, such as `Timesheet` or `Chat`.", "Timesheet"],
  type: ["Occasion, like `paid` or `message`.", "paid"],
  user_id: ["Recipient.", 5],
});

export const passwordEventText = shapes(passwordEventData, "Whose password is another one, and since when.", {
  changed_at: ["Instant from which only the new one counts.", "2026-05-04T16:00:07.000Z"],
  user_id: ["Account that it protects.", 5],
});

export const undoneEventText = shapes(undoneEventData, "A record that is as it was before a change.", {
  change_id: ["The change that was taken back: the `change-id` of its answer.", "0190f3c2a7b1"],
  company_id: ["Tenant that owns what was restored.", 1],
  record_id: ["Which timesheet or job.", 17],
  record_type: ["`timesheet` or `job`.", "timesheet"],
});
