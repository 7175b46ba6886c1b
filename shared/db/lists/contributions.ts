import type { ListName, ListPlace } from "../../domain/records/list-place.ts";
import { schemaAttributes } from "../table/entity.ts";
import { boundIn, countIn, type TotalsByName, type TotalsFigures } from "./totals.ts";

/** What a comparison needs of records, counted places and search entries; figures of totals have names of their own. */
export const comparedAttributes = [
  ...["pk", "sk", ...schemaAttributes, "id", "company_id", "revision", "place", "mark_order"],
  ...["record.state", "record.date", "record.issued_date", "record.number"],
];

/** What one record at a place makes the totals: for each totals item that it is in, its counts and bounds. */
export function contributionsOf(list: ListName, place: ListPlace): Iterable<TotalsFigures> {
  const totals: TotalsByName = new Map();
  countIn(totals, list, place, 1);
  boundIn(totals, list, place);
  return totals.values();
}
