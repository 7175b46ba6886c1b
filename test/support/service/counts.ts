/** What `npm test` takes, or what `npm run check:long` takes, which runs every test at full count. */
export function usualOrFull<T>(usual: T, full: T): T {
  return process.env.COUNTS === "full" ? full : usual;
}
