import type { Item, Key } from "./table.ts";

/** Records that live alone in their partition. */
export type RecordKind = "COMPANY" | "USER" | "TIMESHEET" | "INVOICE" | "JOB";

/** One text for each key. */
export function nameOf({ pk, sk }: Key | Item): string {
  return JSON.stringify([pk, sk]);
}

/** The name of a key as a log may hold it: a login in it is left out. */
export function publicNameOf({ pk, sk }: Key | Item): string {
  return [pk, sk].map((part) => String(part).replace(/^LOGIN#.*/s, "LOGIN#?")).join(" ");
}

/** The key of an item. */
export function keyOf({ pk, sk }: Key | Item): Key {
  return { pk: String(pk), sk: String(sk) };
}

/** An id as text that sorts as the number does. */
export function padId(id: number): string {
  return String(id).padStart(16, "0");
}

/** Key of a company, user, timesheet, invoice or job. */
export function recordKey(kind: RecordKind, id: number): Key {
  return { pk: `${kind}#${id}`, sk: kind };
}

/** Attributes that place an item in the sparse index `by-mark`: what it is marked as, and its order there. */
export interface Mark {
  readonly mark_key: string;
  readonly mark_order: string;
}

/** Takes an item out of that index, or leaves it out. */
export const noMark = { mark_key: undefined, mark_order: undefined } as const;
