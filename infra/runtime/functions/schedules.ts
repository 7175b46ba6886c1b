import type { LocalSchedule } from "../stack/event-sources.ts";

/**
 * Follows schedules from a moment on; calls due earlier that day count as made. The returned function lists the
 * schedules due since its last call, each once a day.
 */
export function followSchedules(schedules: readonly LocalSchedule[], since: Date): (now: Date) => LocalSchedule[] {
  const last = new Map(schedules.map((each) => [each, lastDueDay(each, since)]));
  return (now) =>
    schedules.filter((schedule) => {
      const due = lastDueDay(schedule, now);
      if (due <= (last.get(schedule) ?? "")) return false;
      last.set(schedule, due);
      return true;
    });
}

/** Calls the functions of schedules at their time until stopped; after a sleep of the machine, those it missed. */
export function startSchedules(
  schedules: readonly LocalSchedule[],
  call: (functionName: string, event: object) => Promise<unknown>,
): { stop(): Promise<void> } {
  const due = followSchedules(schedules, new Date());
  const calls = new Set<Promise<unknown>>();
  const timer = setInterval(() => {
    for (const schedule of due(new Date())) {
      const running = call(schedule.functionName, {}).finally(() => calls.delete(running));
      calls.add(running);
    }
  }, tickMilliseconds);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(calls);
    },
  };
}

const tickMilliseconds = 5_000;

/**
 * The last calendar day, as `yyyy-mm-dd` in the schedule's time zone, on which the scheduled time has passed. On the day of a
 * change of clocks a schedule after the change may be called an hour early or late.
 */
function lastDueDay({ hour, minute, timeZone }: LocalSchedule, now: Date): string {
  const shifted = now.getTime() - (hour * 60 + minute) * 60_000;
  // The Swedish format is yyyy-mm-dd.
  return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeZone }).format(shifted);
}
