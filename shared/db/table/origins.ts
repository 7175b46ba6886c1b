import type { Key } from "./table.ts";

const origins = new WeakMap<object, readonly Key[]>();

/** Remembers the items that an answer was read from, so that a damaged one can be found: a page in its order, or one record. */
export function rememberOrigins<T extends object>(answer: T, items: readonly Key[]): T {
  origins.set(answer, items);
  return answer;
}

/** The key of the item that stands at a place of a page, or of one record at place 0, if it is remembered. */
export function originOf(answer: object, at: number): Key | undefined {
  return origins.get(answer)?.[at];
}
