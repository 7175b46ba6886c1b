import { msPerDay } from "../durations.ts";
import { Refusal } from "../refusal.ts";

/** A range of calendar dates, both ends included. A missing end is open (D21). */
export interface DateRange {
  readonly fromDate?: string | undefined;
  readonly toDate?: string | undefined;
}

/** True if a date is within a range. */
export function isWithinRange(date: string, { fromDate, toDate }: DateRange): boolean {
  return (fromDate === undefined || date >= fromDate) && (toDate === undefined || date <= toDate);
}

/** Most days of a list that reads every record of its range: a year, and a month of the one before. */
export const mostDays = 400;
/** The last day that a date has a text for. */
const lastDay = "9999-12-31";

/** A range of calendar dates with two ends. */
export type BoundedRange = Required<{ readonly [End in keyof DateRange]: string }>;

/**
 * The range of a list that reads every record in it: at most 400 days, or as many to today (UTC) if it has no end. Without a
 * beginning it has the last 400 days. Refuses a longer one with `query_too_broad`.
 */
export function boundedRange({ fromDate, toDate }: DateRange, now: Date): BoundedRange {
  const end = Date.parse(toDate ?? now.toISOString().slice(0, 10));
  const earliest = new Date(end - (mostDays - 1) * msPerDay).toISOString().slice(0, 10);
  if (fromDate !== undefined && fromDate < earliest) throw tooLong(earliest);
  return { fromDate: fromDate ?? earliest, toDate: toDate ?? lastDay };
}

function tooLong(earliest: string): Refusal {
  const detail = `must be ${earliest} or later, or to_date earlier: a range has at most ${mostDays} days, to today without to_date`;
  return new Refusal("query_too_broad", "The range of dates is too long", {
    errors: [{ parameter: "from_date", code: "too_broad", detail }],
  });
}
