import { randomInt } from "node:crypto";

const epoch = Date.UTC(2024, 0, 1);

/** A new id, ordered by time: (ms since 2024) × 4096 + 12 random bits, below 2^53. */
export function timeOrderedId(now: Date): number {
  return (now.getTime() - epoch) * 4096 + randomInt(0, 4096);
}
