/** A moment as the table's time to live takes it: whole seconds since 1970, never early. */
export function epochSeconds(moment: Date): number {
  return Math.ceil(moment.getTime() / 1000);
}
