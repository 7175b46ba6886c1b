import * as v from "valibot";
import type { Operation } from "../../contract/operation.ts";
import { paging } from "../../contract/query.ts";

/** The parts of a list that its cursors depend on. */
export type FilteredList = Pick<Operation, "name" | "query">;

/**
 * Identifies the list of a cursor: its name and its validated query except paging. A filter that is absent or has its
 * default value leaves no trace, so that cursors stay valid when a release adds a filter.
 */
export function listFingerprint({ name: list, query: schema }: FilteredList, query: object): string {
  const filters = Object.entries(query).filter(([name, value]) => !(name in paging) && value !== undefined);
  if (filters.length === 0) return list;
  const absent = new Map(Object.entries(schema ? (v.parse(schema, {}) as object) : {}));
  const set = filters.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(absent.get(name)));
  return set.length === 0 ? list : JSON.stringify([list, ...set.sort(([a], [b]) => (a < b ? -1 : 1))]);
}
