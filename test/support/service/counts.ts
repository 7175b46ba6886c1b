/** The count of `npm test`, or that of `npm run check:long`, which runs every test at full count. */
export function usualOrFull<T>(usual: T, full: T): T {
  return process.env.COUNTS === "full" ? full : usual;
}
