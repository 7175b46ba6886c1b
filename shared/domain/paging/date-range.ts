/** A range of calendar dates, both ends included; an end that is left out is open (D21). */
export interface DateRange {
  readonly fromDate?: string | undefined;
  readonly toDate?: string | undefined;
}

/** True when a calendar date lies within a range. */
export function isWithinRange(date: string, { fromDate, toDate }: DateRange): boolean {
  return (fromDate === undefined || date >= fromDate) && (toDate === undefined || date <= toDate);
}
