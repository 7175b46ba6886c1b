import type { ListName } from "./list-position.ts";

/** The lists whose changes of several records can be undone; an id has a list's place here. */
const undoableLists = ["TIMESHEETS", "JOBS"] as const satisfies readonly ListName[];

/** A list whose changes of several records can be undone (D41). */
export type UndoableList = (typeof undoableLists)[number];

/** The record that a change of several began with, and that keeps what is known of the change. */
export interface ChangePlace {
  readonly list: UndoableList;
  readonly recordId: number;
}

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const idBits = 53n;
const ownBits = 8n;

/**
 * The id of a change of several records: the UUID that the work began with, as one of version 8 whose last 62 bits name the list (1
 * bit) and the first record (53 bits). So the records of a change are found by its id alone, without an item or index for it.
 */
export function changeIdAt(begun: string, { list, recordId }: ChangePlace): string {
  const digits = begun.replaceAll("-", "");
  const own = BigInt(`0x${digits.slice(16)}`) & ((1n << ownBits) - 1n);
  const place = (BigInt(undoableLists.indexOf(list)) << idBits) | BigInt(recordId);
  const last = ((0b10n << (idBits + 1n)) | place) << ownBits;
  const hex = `${digits.slice(0, 12)}8${digits.slice(13, 16)}${(last | own).toString(16)}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Where a change began; undefined for text that is no id of such a change. */
export function placeOfChange(id: string): ChangePlace | undefined {
  if (!pattern.test(id)) return undefined;
  const last = BigInt(`0x${id.replaceAll("-", "").slice(16)}`) >> ownBits;
  const recordId = Number(last & ((1n << idBits) - 1n));
  const list = undoableLists[Number((last >> idBits) & 1n)];
  return list && recordId > 0 ? { list, recordId } : undefined;
}
