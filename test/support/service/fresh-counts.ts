import { usualOrFull } from "./counts.ts";

/**
 * What `npm test` takes, what the gate of a fresh seed takes in `npm run check`, which runs every test that imports this file, or
 * what `npm run check:long` takes.
 */
export function usualFreshOrFull<T>(usual: T, fresh: T, full: T): T {
  return process.env.COUNTS === "more" ? fresh : usualOrFull(usual, full);
}
