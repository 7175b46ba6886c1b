/**
 * What `npm test` takes, or what `npm run check:long` takes, which runs every test at full count; between them, where a test says
 * so, what the properties of a fresh seed take in `npm run check`.
 */
export function usualOrFull<T>(usual: T, full: T, more = usual): T {
  const counts = new Map([
    ["more", more],
    ["full", full],
  ]);
  return counts.get(process.env.COUNTS ?? "") ?? usual;
}
