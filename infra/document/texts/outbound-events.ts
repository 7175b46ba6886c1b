import {
  apiKeyEventData,
  invoiceEventData,
  jobEventData,
  notificationEventData,
  type OutboundEventType,
  outboundEnvelope,
  passwordEventData,
  timerEventData,
  timesheetEventData,
  undoneEventData,
} from "../../../shared/contract/outbound-events.ts";
import { apiKeyFields, commonFields, invoiceFields, jobFields, notificationFields, timesheetFields } from "./fields.ts";
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
    description:
      "A timesheet was stored that has not been paid. One that is stored as paid makes `timesheet.paid` instead.",
  },
  "timesheet.paid": {
    tag: "finance",
    summary: "A timesheet was paid",
    description:
      "The state became `paid`, by a bulk update, an import or another system; or the timesheet was stored as paid.",
  },
  "timesheet.pending": {
    tag: "finance",
    summary: "A timesheet is unpaid again",
    description:
      "The state went back from `paid` to `pending`. A new timesheet that is unpaid makes `timesheet.submitted`.",
  },
  "invoice.issued": {
    tag: "finance",
    summary: "An invoice is new",
    description: "An invoice was stored that has not been paid. One that goes back to `pending` later makes no event.",
  },
  "invoice.overdue": {
    tag: "finance",
    summary: "An invoice missed its due date",
    description: "The due date of a pending invoice has passed, as the nightly run or another system found.",
  },
  "invoice.paid": {
    tag: "finance",
    summary: "An invoice was paid",
    description: "The state became `paid`, as the system that the invoice comes from reported.",
  },
  "job.published": {
    tag: "jobs",
    summary: "A job is new",
    description: "A job was stored. Later changes of the job make no event.",
  },
  "job.timer_adjusted": {
    tag: "jobs",
    summary: "A job's timer was set or cleared",
    description:
      "The time until which the job can be taken was set or cleared, by `adjust_timer` or its undo. Lists of jobs do not show it.",
  },
  "notification.created": {
    tag: "notifications",
    summary: "A user has a new notification",
    description:
      "A notification that is pushed to devices, so none of a new timesheet. The event names its user and its record, and leaves out its text. It belongs to a person, so that receivers of one company do not get it.",
  },
  "user.api_key_created": {
    tag: "keys",
    summary: "A user has a new API key",
    description:
      "For systems that monitor accounts. It has neither the name nor the secret of the key, which is its subject.",
  },
  "user.password_changed": {
    tag: "account",
    summary: "A user has a new password",
    description: "For systems that monitor accounts. It has the user's id and the time, and nothing else.",
  },
  "change.undone": {
    tag: "finance",
    summary: "A record was put back by an undo",
    description:
      "One event for each record of the change that was undone. The state that the record has again makes an event of its own.",
  },
};

export const outboundEnvelopeText = shapes(
  outboundEnvelope,
  "The envelope of every event: the attributes of CloudEvents 1.0, in JSON.",
  {
    specversion: ["Version of CloudEvents.", "1.0"],
    id: [
      "Id of the event. A repeated delivery has the same id: drop those that you have seen.",
      "7d9c3f1e5a2b4c6d8e0f1a2b3c4d5e6f",
    ],
    source: ["Stage that sent the event: `urn:workforce:` and its name.", "urn:workforce:prod"],
    type: ["Type of the event. Expect types that are not listed yet.", "timesheet.paid"],
    time: ["Time at which the change was stored, to the second.", "2026-05-04T16:00:07.000Z"],
    subject: ["Type and id of the changed record, with a slash between.", "timesheet/17"],
    datacontenttype: ["Media type of `data`.", "application/json"],
    dataschema: ["Name of the schema of `data`, with its version at the end.", "urn:workforce:event:timesheet.paid:1"],
    sequence: [
      "Revision of the subject in 16 digits. Events may arrive in another order: compare as text, and ignore events with a lower one than the last you processed.",
      "0001777910407000",
    ],
    companyid: ["Id of the company that the subject belongs to, as text; absent from events about a person.", "1"],
  },
);

export const timesheetEventText = shapes(timesheetEventData, "A timesheet, without names.", {
  ...timesheetFields,
  company_id: commonFields.company_id,
  profile_id: ["Driver profile that the timesheet belongs to.", 70],
});

export const invoiceEventText = shapes(invoiceEventData, "An invoice, without names and addresses.", {
  ...invoiceFields,
  company_id: commonFields.company_id,
});

const { timer_expires_at, ...publishedFields } = jobFields;

export const jobEventText = shapes(jobEventData, "A job as it was published.", {
  ...publishedFields,
  company_id: commonFields.company_id,
});

export const timerEventText = shapes(timerEventData, "The new timer of a job.", {
  id: jobFields.id,
  company_id: commonFields.company_id,
  timer: ["Length of the timer in seconds, as it was set; 0 if it was cleared.", 3600],
  timer_expires_at,
});

export const notificationEventText = shapes(notificationEventData, "A notification, without its text.", {
  ...notificationFields,
  user_id: ["Id of the user who is notified.", 5],
});

export const passwordEventText = shapes(passwordEventData, "A new password of a user.", {
  changed_at: ["Time at which the password was changed.", "2026-05-04T16:00:07.000Z"],
  user_id: ["Id of the user whose password was changed.", 5],
});

export const apiKeyEventText = shapes(apiKeyEventData, "A new API key of a user.", {
  access: apiKeyFields.access,
  created_at: apiKeyFields.created_at,
  expires_at: apiKeyFields.expires_at,
  key_id: apiKeyFields.id,
  user_id: ["Id of the user who has the key.", 5],
});

export const undoneEventText = shapes(undoneEventData, "A record that an undo put back.", {
  change_id: ["Id of the change that was undone: the `change-id` of its answer.", "0190f3c2a7b1"],
  company_id: commonFields.company_id,
  record_id: ["Id of the timesheet or job that was put back.", 17],
  record_type: ["`timesheet` or `job`.", "timesheet"],
});
