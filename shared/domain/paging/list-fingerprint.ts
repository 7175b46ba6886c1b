import * as v from "valibot";
import type { Operation } from "../../contract/operation.ts";
import { paging } from "../../contract/query.ts";

/** A list, as far as its cursors go by it. */
export type FilteredList = Pick<Operation, "name" | "query">;

/**
 * What a cursor belongs to: a list and everything of its validated query but the paging. A filter that is absent, or has the
 * value that it has when absent, leaves no trace, so cursors outlive the release that adds one.
 */
export function listFingerprint({ name: list, query: schema }: FilteredList, query: object): string {
  const filters = Object.entries(query).filter(([name, value]) => !(name in paging) && value !== undefined);
  if (filters.length === 0) return list;
  const absent = new Map(Object.entries(schema ? (v.parse(schema, {}) as object) : {}));
  const set = filters.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(absent.get(name)));
  return set.length === 0 ? list : JSON.stringify([list, ...set.sort(([a], [b]) => (a < b ? -1 : 1))]);
}
