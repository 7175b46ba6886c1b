import { randomInt } from "node:crypto";

const epoch = Date.UTC(2024, 0, 1);
/** 12 random bits: two ids of one millisecond seldom meet, and an id stays below 2^53. */
const idsPerMs = 4096;

/** A new id, ordered by time: (ms since 2024) × 4096 + 12 bits, random unless given, below 2^53. */
export function timeOrderedId(now: Date, bits = randomInt(0, idsPerMs)): number {
  return (now.getTime() - epoch) * idsPerMs + bits;
}

/** The creation time of an id, to the millisecond. */
export function timeOfId(id: number): Date {
  return new Date(epoch + Math.floor(id / idsPerMs));
}
