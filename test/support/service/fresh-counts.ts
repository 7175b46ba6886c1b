import { usualOrFull } from "./counts.ts";

/**
 * The count of `npm test`, that of `npm run check:fresh`, which runs every test that imports this file, or
 * that of `npm run check:long`.
 */
export function usualFreshOrFull<T>(usual: T, fresh: T, full: T): T {
  return process.env.COUNTS === "more" ? fresh : usualOrFull(usual, full);
}
