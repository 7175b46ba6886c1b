import { calendarDateIn, msUntilSettled } from "../../shared/records/business-day.ts";
import { sleep } from "../../shared/run/backoff.ts";
import { settings } from "../../shared/run/settings.ts";
import { forSchedule } from "../../shared/worker.ts";
import { markOverdue } from "./overdue-invoices.ts";

/**
 * Marks pending invoices as overdue if their due date has passed in the business's time zone (D20). About midnight it
 * waits, because an import whose clock is behind may still store what was due the day before as pending.
 */
export const handler = forSchedule(async (context) => {
  const timeZone = settings.businessTimeZone();
  const waitMs = msUntilSettled(timeZone, context.now);
  await sleep(waitMs);
  await markOverdue(calendarDateIn(timeZone, new Date(context.now.getTime() + waitMs)), context);
});
