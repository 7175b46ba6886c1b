/** A time in the format of the table's time to live: whole seconds since 1970, rounded up. */
export function epochSeconds(moment: Date): number {
  return Math.ceil(moment.getTime() / 1000);
}

/** The time a number of days later, in the format of the table's time to live. */
export function epochSecondsAfter(moment: Date, days: number): number {
  return epochSeconds(moment) + days * 24 * 60 * 60;
}
