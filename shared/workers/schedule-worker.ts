import { faultFields, log } from "../logger.ts";
import { settings } from "../settings.ts";

/** The handler of what a schedule or a deploy calls: one line at its start, one at its end; a fault is logged and thrown on, to be retried. */
export function forSchedule(work: (now: Date) => Promise<void>): () => Promise<void> {
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
