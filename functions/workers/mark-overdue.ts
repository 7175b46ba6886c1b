import { markOverdue } from "../../shared/db/overdue-invoices.ts";
import { calendarDateIn } from "../../shared/domain/business-day.ts";
import { forSchedule } from "../../shared/messaging/schedule-worker.ts";
import { settings } from "../../shared/settings.ts";

/** Turns the pending invoices overdue whose due date has passed in the business's time zone (D20). */
export const handler = forSchedule(async (now) => {
  await markOverdue(calendarDateIn(settings.businessTimeZone(), now));
});
