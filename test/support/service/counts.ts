/**
 * The count of `npm test`, or that of `npm run check:long`, which runs every test at full count; between them, where a test says
 * so, the count of the properties of a fresh seed in `npm run check`.
 */
export function usualOrFull<T>(usual: T, full: T, more = usual): T {
  const counts = new Map([
    ["more", more],
    ["full", full],
  ]);
  return counts.get(process.env.COUNTS ?? "") ?? usual;
}
