/** A moment as the table's time to live takes it: whole seconds since 1970, never early. */
export function epochSeconds(moment: Date): number {
  return Math.ceil(moment.getTime() / 1000);
}

/** So many days after a moment, as the table's time to live takes it. */
export function epochSecondsAfter(moment: Date, days: number): number {
  return epochSeconds(moment) + days * 24 * 60 * 60;
}
