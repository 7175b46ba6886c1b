import { faultFields, log } from "../logger.ts";
import { settings } from "../settings.ts";

/** A Lambda handler that a schedule or a deploy calls; what it is called with does not matter. */
export type ScheduleHandler = () => Promise<void>;

/** The handler of scheduled work: one line at its start, one at its end; a fault is logged and thrown on, to be retried. */
export function forSchedule(work: (now: Date) => Promise<void>): ScheduleHandler {
  return async () => {
    const fields = { operation: settings.operation() };
    log("info", "started", fields);
    try {
      await work(new Date());
      log("info", "processed", fields);
    } catch (error) {
      log("error", "fault", { ...fields, ...faultFields(error) });
      throw error;
    }
  };
}
