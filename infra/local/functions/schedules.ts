import type { LocalSchedule } from "../stack/event-sources.ts";

/**
 * Keeps daily schedules from a moment on; what was due earlier that day has had its call. Gives, for a moment after the one
 * asked for before, the schedules whose time of the day has come since, each once a day.
 */
export function followSchedules(schedules: readonly LocalSchedule[], since: Date): (now: Date) => LocalSchedule[] {
  const lastDay = new Map(schedules.map((each) => [each, lastDueDay(each, since)]));
  return (now) =>
    schedules.filter((schedule) => {
      const day = lastDueDay(schedule, now);
      if (day <= (lastDay.get(schedule) ?? "")) return false;
      lastDay.set(schedule, day);
      return true;
    });
}

/** Calls the functions of daily schedules at their time until stopped, and after a sleep of the machine those it missed. */
export function startSchedules(
  schedules: readonly LocalSchedule[],
  call: (functionName: string, event: object) => Promise<unknown>,
): { stop(): Promise<void> } {
  const due = followSchedules(schedules, new Date());
  const calls = new Set<Promise<unknown>>();
  const timer = setInterval(() => {
    for (const { functionName } of due(new Date())) {
      const running = call(functionName, {}).finally(() => calls.delete(running));
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

/** The last calendar day, as `yyyy-mm-dd` in the schedule's time zone, whose scheduled time had passed by then. */
function lastDueDay({ hour, minute, timeZone }: LocalSchedule, now: Date): string {
  const wanted = `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
  const today = dayOf(now, timeZone);
  return today.time >= wanted ? today.day : dayBefore(today.day);
}

function dayOf(moment: Date, timeZone: string): { day: string; time: string } {
  // Swedish writes moments as yyyy-mm-dd hh:mm.
  const style = { dateStyle: "short", timeStyle: "short", timeZone } as const;
  const [day = "", time = ""] = new Intl.DateTimeFormat("sv-SE", style).format(moment).split(" ");
  return { day, time };
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}
