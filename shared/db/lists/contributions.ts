import type { ListName, ListPlace } from "../../domain/records/list-place.ts";
import { countIn, type TotalsByName, type TotalsFigures } from "./totals.ts";

/** What one record at a place makes the totals: for each totals item that it is in, its counts and bounds. */
export function contributionsOf(list: ListName, place: ListPlace): Iterable<TotalsFigures> {
  const totals: TotalsByName = new Map();
  countIn(totals, list, place, 1);
  return totals.values();
}
