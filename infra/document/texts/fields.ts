import type { FieldText } from "./text.ts";

type Texts = Readonly<Record<string, FieldText>>;

/** The document's texts for fields that shapes of several nouns have. */
export const commonFields = {
  company_id: ["Id of the company that the record belongs to.", 1],
  first_name: ["First name of the person, up to 200 characters.", "Owen"],
  last_name: ["Last name of the person, up to 200 characters.", "Pryce"],
  login: [
    "E-mail address or phone number of the account, as typed or pasted; up to 320 characters. Numbers without a country code are read as the stage's.",
    "operator@harbour-logistics.example",
  ],
  reset_password_token: [
    "Token from the confirmation of the login; sets one password within 15 minutes, and proves in `Known-Client` for an hour that the client confirmed the login. Keep it in memory only.",
    "example-reset-token-3kQ9vXo2",
  ],
} as const satisfies Texts;

/** The texts of the fields that timesheets and their events share. */
export const timesheetFields = {
  id: ["Id of the timesheet.", 42],
  currency: ["Currency of `total`.", "GBP"],
  date: ["Day of the work.", "2026-05-01"],
  state: ["Payment state: `pending` until the driver has been paid, then `paid`.", "pending"],
  total: ["Amount that the driver is owed, before tax.", "164.00"],
} as const satisfies Texts;

/** The texts of the fields that invoices and their events share. */
export const invoiceFields = {
  id: ["Id of the invoice.", 75],
  currency: ["Currency of `total`.", "GBP"],
  due_date: [
    "Last day to pay. At midnight, in the time zone of the business, a `pending` invoice becomes `overdue`.",
    "2026-05-31",
  ],
  issued_date: ["Day on which the invoice was issued.", "2026-05-01"],
  number: ["Invoice number as printed on the invoice. Search it with `by_number`.", "INV-2026-0075"],
  state: ["`pending` is open, `paid` is settled, `overdue` is open past its `due_date`.", "pending"],
  total: ["Amount due including VAT.", "1250.00"],
} as const satisfies Texts;

/** The texts of the fields that jobs and their events share. */
export const jobFields = {
  id: ["Id of the job.", 7],
  job_type: ["Type of contract, such as `part_time` or `temporary_contract`; more types may be added.", "part_time"],
  number: ["Job number, for people.", 1007],
  published_at: [
    "Time from which drivers can see the job. A time in the future delays neither the list nor the notification.",
    "2026-05-01T08:30:00.000Z",
  ],
  timer_expires_at: [
    "Time at which the job's timer expires, as `adjust_timer` set it; null without a timer. Nothing is done then: the time stays, and apps stop offering the job.",
    "2026-05-04T17:00:07.000Z",
  ],
  title: ["Title of the job, up to 200 characters.", "Night shift loader"],
} as const satisfies Texts;

/** The texts of the fields that notifications and their events share. */
export const notificationFields = {
  id: ["Id of the notification, unique together with its user. Newer ones have higher ids.", 20_012],
  created_at: ["Time at which the notification was created.", "2026-05-01T08:30:00.000Z"],
  record_id: ["Id of the record that the notification is about.", 7],
  record_type: [
    "Type of the record: `Job`, `Timesheet`, `Invoice`, `User`, `Chat`, or one that another system named.",
    "Job",
  ],
  type: [
    "Type of the event. Later releases and other systems have more than those listed: show `text` for any.",
    "published",
  ],
} as const satisfies Texts;

/** The texts of the fields that devices share wherever they are shown. */
export const deviceFields = {
  id: ["Id of the registration, for its removal.", 7_012_845],
  device_id: [
    "Id of the device that the app makes up once; null if it sent none. A new token with the same id replaces the former one.",
    "owens-phone",
  ],
  token: [
    "Token that FCM or APNs gave the app, up to 4,096 characters; for APNs in hexadecimal.",
    "740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad",
  ],
} as const satisfies Texts;

/** The texts of the fields that API keys and their events share. */
export const apiKeyFields = {
  id: ["Id of the key, for its deletion. Lines of history name it.", 374_186_967_040_001],
  name: ["Name that its user gave it, 1 to 100 characters, which no other key of the user has.", "Nightly export"],
  access: ["`read`: it reads. `act`: it also pays, undoes, adjusts and marks.", "read"],
  created_at: ["Time at which it was made.", "2026-06-01T08:30:00.000Z"],
  expires_at: ["Time at which it expires.", "2026-08-30T08:30:00.000Z"],
} as const satisfies Texts;
