/** The calendar date (YYYY-MM-DD) of a time in an IANA time zone. Throws `RangeError` on an unknown zone. */
export function calendarDateIn(timeZone: string, now: Date): string {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    calendar: "iso8601",
    numberingSystem: "latn",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]));
  return [parts.get("year"), parts.get("month"), parts.get("day")].join("-");
}
