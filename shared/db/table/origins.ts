import type { Key } from "./table.ts";

const origins = new WeakMap<object, readonly Key[]>();

/**
 * Stores which items an answer was read from (a page in its order, or one record), so that a damaged item can be found.
 */
export function rememberOrigins<T extends object>(answer: T, items: readonly Key[]): T {
  origins.set(answer, items);
  return answer;
}

/** The key of the item at a place of a page, or of one record at place 0, if it was stored. */
export function originOf(answer: object, at: number): Key | undefined {
  return origins.get(answer)?.[at];
}
