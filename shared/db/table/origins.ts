import type { Key } from "./table.ts";

const origins = new WeakMap<readonly unknown[], readonly Key[]>();

/** Remembers the items that a page was read from, in its order, so that a damaged one can be found. */
export function rememberOrigins(page: readonly unknown[], items: readonly Key[]): void {
  origins.set(page, items);
}

/** The key of the item that stands at a place of a page, if it is remembered. */
export function originOf(page: readonly unknown[], at: number): Key | undefined {
  return origins.get(page)?.[at];
}
