import type { FoundPage, PageStart } from "../../contract/paging.ts";
import type { ListName } from "../../table/counters.ts";
import { findDatedPage } from "./dated-lists.ts";
import { cutPage, type ListedFields, toPage } from "./listed-items.ts";
import { deep, readNewest } from "./newest-rows.ts";
import { countList, type ListSelection } from "./totals.ts";

/** One page of a list, newest id first, within a range of dates if one is given. */
export function findListPage<L extends ListName>(
  selection: ListSelection<L>,
  start: PageStart,
): Promise<FoundPage<ListedFields<L>>> {
  const isUndated = selection.fromDate === undefined && selection.toDate === undefined;
  return isUndated ? findUndatedPage(selection, start) : findDatedPage(selection, start);
}

/**
 * Access pattern L1: a page, newest id first. 1 read unit a state for 20 rows, and L3, in one round trip. Past the end of
 * a company's list L3 alone is read; the total of all companies may be late, so it does not decide that.
 */
async function findUndatedPage<L extends ListName>(
  selection: ListSelection<L>,
  start: PageStart,
): Promise<FoundPage<ListedFields<L>>> {
  const counting = countList(selection);
  if (start.skip >= deep && selection.scope !== "all") {
    const total = await counting;
    if (start.skip >= total) return toPage([], total, false);
  }
  const [total, rows] = await Promise.all([counting, readNewest(selection, start)]);
  return cutPage(rows, total, start);
}
