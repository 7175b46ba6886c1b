import { paging } from "../../contract/query.ts";

/**
 * The filters that release 0.1 knew, in the order in which its cursors hold them. They keep their places, so that a
 * cursor means the same to every release; no filter is added here.
 */
const firstFilters: Readonly<Record<string, readonly string[]>> = {
  "list-invoices": ["by_state", "from_date", "to_date", "by_number", "by_company"],
  "list-timesheets": ["by_state", "from_date", "to_date", "by_company"],
};

/**
 * What a cursor belongs to: a list and everything of its validated query but the paging. A filter that is absent leaves
 * no trace, so cursors outlive the release that adds one.
 */
export function listFingerprint(list: string, query: object): string {
  const filters = new Map(Object.entries(query).filter(([name, value]) => !(name in paging) && value !== undefined));
  const first = firstFilters[list] ?? [];
  const later = [...filters].filter(([name]) => !first.includes(name)).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = [...first.map((name) => filters.get(name)), ...later];
  return parts.length === 0 ? list : JSON.stringify([list, ...parts]);
}
