import { type Locale, locales } from "../contract/values.ts";
import { settings } from "./settings.ts";

/** A user's language, or the stage's if they have none or one that this release does not know (D45). */
export function languageOf(userLocale: string | null | undefined): Locale {
  return locales.find((each) => each === userLocale) ?? settings.locale();
}

/** Formats of a region for days, times and minutes. Times are in UTC. */
export function formatsOf(region: string) {
  const moments = (options: Intl.DateTimeFormatOptions) => {
    // Made at the first use: a function needs few of them, and each takes time at its start.
    let format: Intl.DateTimeFormat | undefined;
    return (moment: Date) => {
      format ??= new Intl.DateTimeFormat(region, { ...options, timeZone: "UTC" });
      return format.format(moment);
    };
  };
  return {
    /** A day with its month's name. */
    longDay: moments({ dateStyle: "long" }),
    /** A short but clear day. */
    shortDay: moments({ dateStyle: "medium" }),
    /** Hours and minutes, from 00:00 to 23:59. */
    time: moments({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
    minutes: (count: number) =>
      new Intl.NumberFormat(region, { style: "unit", unit: "minute", unitDisplay: "long" }).format(count),
  };
}
