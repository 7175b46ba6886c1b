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

/** The last calendar day, as `yyyy-mm-dd` in the schedule's time zone, on which the scheduled time has passed. */
function lastDueDay({ hour, minute, timeZone }: LocalSchedule, now: Date): string {
  const wanted = `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
  const today = dayOf(now, timeZone);
  return today.time >= wanted ? today.day : dayBefore(today.day);
}

function dayOf(moment: Date, timeZone: string): { day: string; time: string } {
  // The Swedish format is yyyy-mm-dd hh:mm.
  const style = { dateStyle: "short", timeStyle: "short", timeZone } as const;
  const [day = "", time = ""] = new Intl.DateTimeFormat("sv-SE", style).format(moment).split(" ");
  return { day, time };
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}
