import type { FieldText } from "./text.ts";

/** The document's texts for values that many fields share, by their names in the document. */
export const valueTexts = {
  Id: ["Whole number of 64 bits, below 2^53, that identifies a record among those of its kind.", 42],
  CalendarDate: [
    "A day of the calendar from 1970 to 2199, `YYYY-MM-DD`, without a time and a time zone.",
    "2026-05-01",
  ],
  Timestamp: ["A moment in UTC: ISO 8601 with three digits of milliseconds and a `Z`.", "2026-05-01T08:30:00.000Z"],
  Decimal: [
    "A decimal number in a string: up to 15 digits without leading zeros, and up to 6 behind the point. Calculate with a decimal type.",
    "1250.00",
  ],
  Currency: ["ISO 4217 code, three capitals.", "GBP"],
  TimesheetState: ["Whether a timesheet is paid. It may become pending again.", "paid"],
  InvoiceState: ["The state of an invoice's payment; the service itself makes pending ones overdue.", "overdue"],
  Platform: ["A push service, or a system that has one.", "ios"],
  Page: ["Position of a page in its list.", 1],
  PerPage: ["Number of items that a page is cut to.", 20],
  DateFilter: [
    "A date, `YYYY-MM-DD`; of a timestamp the part with the date counts. Empty is as good as absent.",
    "2026-05-01",
  ],
  // Some parameters of this form cannot be sent together: each has an example of its own, or none.
  IdParameter: ["An id in an address. Anything but a whole number above 0 is refused."],
  RecordId: ["An id in an address that leads to one record; text that is no id leads to none.", 42],
  Passcode: [
    "4 to 8 digits that do not begin with 0, as a number or as typed text, whose dashes, blanks and brackets do not count. 0 counts as left out.",
    4821,
  ],
  Password: ["8 to 128 characters of any kind. The 4,000 most common passwords are refused.", "a harbour before dawn"],
} as const satisfies Readonly<Record<string, FieldText>>;

/** The name of a shared value. */
export type ValueName = keyof typeof valueTexts;
