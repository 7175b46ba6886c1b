/** What `npm test` takes, and what `npm run check:long` takes, which runs every test at full count. */
export function inRing<T>(usual: T, long: T): T {
  return process.env.RING === "long" ? long : usual;
}
