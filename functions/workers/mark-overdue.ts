import { markOverdue } from "../../shared/db/records/overdue-invoices.ts";
import { calendarDateIn } from "../../shared/domain/records/business-day.ts";
import { settings } from "../../shared/settings.ts";
import { forSchedule } from "../../shared/workers/schedule-worker.ts";

/** Marks pending invoices as overdue if their due date has passed in the business's time zone (D20). */
export const handler = forSchedule(async (context) => {
  await markOverdue(calendarDateIn(settings.businessTimeZone(), context.now), context);
});
