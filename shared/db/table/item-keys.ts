/** Primary key of an item. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An item as stored; each entity module knows the attributes of its own. */
export type Item = Record<string, unknown>;

/** Records that have a partition of their own. */
export type RecordKind = "COMPANY" | "USER" | "TIMESHEET" | "INVOICE" | "JOB";

/** One text for each key. */
export function nameOf({ pk, sk }: Key | Item): string {
  return JSON.stringify([pk, sk]);
}

/** A key for the logs. A login in it is left out. */
export function publicNameOf({ pk, sk }: Key | Item): string {
  return [pk, sk].map((part) => String(part).replace(/^LOGIN#.*/s, "LOGIN#?")).join(" ");
}

/** The key of an item. */
export function keyOf({ pk, sk }: Key | Item): Key {
  return { pk: String(pk), sk: String(sk) };
}

/** An id as text that sorts like the number. */
export function padId(id: number): string {
  return String(id).padStart(16, "0");
}

/** Key of a company, user, timesheet, invoice or job. */
export function recordKey(kind: RecordKind, id: number): Key {
  return { pk: `${kind}#${id}`, sk: kind };
}

/** Attributes of an item in the sparse index `by-mark`: the index key, and the order under that key. */
export interface Mark {
  readonly mark_key: string;
  readonly mark_order: string;
}

/** Removes an item from that index, or keeps it out. */
export const noMark = { mark_key: undefined, mark_order: undefined } as const;
