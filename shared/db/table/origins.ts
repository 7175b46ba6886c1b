import type { Key } from "./table.ts";

const origins = new WeakMap<object, Key>();

/** Remembers the item that an answer was read from, so that a damaged one can be found. */
export function rememberOrigin(answered: object, key: Key): void {
  origins.set(answered, key);
}

/** The key of the item that an answer was read from, if it is remembered. */
export function originOf(answered: unknown): Key | undefined {
  return typeof answered === "object" && answered !== null ? origins.get(answered) : undefined;
}
