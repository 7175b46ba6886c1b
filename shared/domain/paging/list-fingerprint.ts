import * as v from "valibot";
import type { Operation } from "../../contract/operation.ts";
import { paging } from "../../contract/query.ts";

/** The filters of release 0.1 in its cursors' order, so that these mean the same to every release; none is added. */
const firstFilters: Readonly<Record<string, readonly string[]>> = {
  "list-invoices": ["by_state", "from_date", "to_date", "by_number", "by_company"],
  "list-timesheets": ["by_state", "from_date", "to_date", "by_company"],
};

/** A list, as far as its cursors go by it. */
export type FilteredList = Pick<Operation, "name" | "query">;

/**
 * What a cursor belongs to: a list and everything of its validated query but the paging. A later filter that is absent, or
 * has the value that it has when absent, leaves no trace, so cursors outlive the release that adds one.
 */
export function listFingerprint({ name: list, query: schema }: FilteredList, query: object): string {
  const filters = new Map(Object.entries(query).filter(([name]) => !(name in paging)));
  const first = firstFilters[list] ?? [];
  const added = [...filters].filter(([name]) => !first.includes(name)).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = [...first.map((name) => filters.get(name)), ...(added.length > 0 ? present(added, schema) : [])];
  return parts.length === 0 ? list : JSON.stringify([list, ...parts]);
}

/** The filters that do not have the value which they have when absent. */
function present(filters: readonly (readonly [string, unknown])[], schema: FilteredList["query"]) {
  const absent = new Map(Object.entries(schema ? (v.parse(schema, {}) as object) : {}));
  return filters.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(absent.get(name)));
}
