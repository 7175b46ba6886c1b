/** A range of calendar dates, both ends included. A missing end is open (D21). */
export interface DateRange {
  readonly fromDate?: string | undefined;
  readonly toDate?: string | undefined;
}

/** True if a date is within a range. */
export function isWithinRange(date: string, { fromDate, toDate }: DateRange): boolean {
  return (fromDate === undefined || date >= fromDate) && (toDate === undefined || date <= toDate);
}
