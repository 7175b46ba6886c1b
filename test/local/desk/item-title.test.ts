import { expect, test } from "vitest";
import { titleOf } from "../../../infra/local/desk/item-title.ts";
import { invoiceLine, jobLine, notificationLine, timesheetLine } from "../../support/records/records.ts";

test.each([
  ["a user without names", { role: "driver", record: { first_name: "", last_name: "" } }, "driver"],
  ["a company", { id: 1, name: "Harbour Logistics Ltd" }, "Harbour Logistics Ltd"],
  [
    "an invoice",
    {
      record: invoiceLine(7, 1, { number: "INV-7", company_name: "Harbour", issued_date: "2026-05-01", state: "paid" }),
    },
    "INV-7 · Harbour · 2026-05-01 · paid",
  ],
  [
    "a timesheet, by its driver",
    {
      record: timesheetLine(7, 1, {
        company_name: "Harbour",
        date: "2026-05-01",
        job_title: "Loader",
        state: "pending",
        driver: { first_name: "Dana", last_name: "Whitfield" },
      }),
    },
    "Dana Whitfield · Loader · Harbour · 2026-05-01 · pending",
  ],
  [
    "a job",
    { record: jobLine(7, 1, { title: "Loader", number: 1007, published_at: "2026-05-01T08:30:00.000Z" }) },
    "Loader · 1007 · 2026-05-01",
  ],
  [
    "a notification",
    { record: notificationLine(7, 1, { record_type: "Job", created_at: "2026-05-01T08:30:00.000Z" }) },
    "Job · 2026-05-01",
  ],
  ["a session", { opened_at: "2026-05-01T08:30:00.000Z", seed: "x" }, "2026-05-01"],
  ["an entry of the history", { record: { did: "updated", at: "2026-05-01T08:30:00.000Z" } }, "2026-05-01 · updated"],
  ["totals", { paid: 7 }, ""],
])("%s is listed by its name, number, date and state", (_, item, title) => {
  expect(titleOf(item)).toBe(title);
});
