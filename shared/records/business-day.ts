import { msPerMinute } from "../contract/values.ts";

/** The clocks of functions differ by less. */
const clocksDifferMs = 10_000;

/** To make a format takes a hundred times as long as to use it, and a stage has one time zone. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The calendar date (YYYY-MM-DD) of a time in an IANA time zone. Throws `RangeError` on an unknown zone. */
export function calendarDateIn(timeZone: string, now: Date): string {
  const format = formats.get(timeZone) ?? formatIn(timeZone);
  formats.set(timeZone, format);
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]));
  return [parts.get("year"), parts.get("month"), parts.get("day")].join("-");
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en", {
    timeZone,
    calendar: "iso8601",
    numberingSystem: "latn",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
}

/**
 * The milliseconds until every clock shows the same calendar date in an IANA time zone: up to 20 seconds from 10 seconds
 * before midnight on, else 0.
 */
export function msUntilSettled(timeZone: string, now: Date): number {
  const [first, last] = [-clocksDifferMs, clocksDifferMs].map((ms) => {
    return calendarDateIn(timeZone, new Date(now.getTime() + ms));
  });
  // A day begins with a minute in every zone.
  return first === last ? 0 : 2 * clocksDifferMs - ((now.getTime() + clocksDifferMs) % msPerMinute);
}
