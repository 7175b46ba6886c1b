import type { FoundPage, PageStart } from "../../domain/paging/paging.ts";
import type { ListName } from "../../domain/records/list-place.ts";
import { queryItems } from "../table/table.ts";
import { findDatedPage } from "./dated-lists.ts";
import { stateKey } from "./list-keys.ts";
import { cutPage, type ListedFields, type ListRow, toRow } from "./listed-items.ts";
import { countList, type ListSelection } from "./totals.ts";

/** One page of a list, newest id first, within a range of dates if one is given. */
export function findListPage<L extends ListName>(
  selection: ListSelection<L>,
  start: PageStart,
): Promise<FoundPage<ListedFields<L>>> {
  const isUndated = selection.fromDate === undefined && selection.toDate === undefined;
  return isUndated ? findUndatedPage(selection, start) : findDatedPage(selection, start);
}

/** Access pattern L1: a page, newest id first. 1.5 read units a state for 20 rows, 0.5 for the total, in parallel. */
async function findUndatedPage<L extends ListName>(
  selection: ListSelection<L>,
  start: PageStart,
): Promise<FoundPage<ListedFields<L>>> {
  const wanted = start.skip + start.limit + 1;
  const [total, ...rows] = await Promise.all([
    countList(selection),
    ...selection.states.map((state) => readNewest(selection, state, wanted, start.beforeId)),
  ]);
  return cutPage(rows.flat(), total, start);
}

async function readNewest<L extends ListName>(
  { list, scope }: ListSelection<L>,
  state: string,
  wanted: number,
  beforeId: number | undefined,
): Promise<ListRow<L>[]> {
  const [index, attribute] = scope === "all" ? ["by-state", "all_key"] : ["by-company", "company_key"];
  const before = beforeId === undefined ? "" : " AND id < :before";
  const query = {
    IndexName: index,
    KeyConditionExpression: `${attribute} = :key${before}`,
    ExpressionAttributeValues: { ":key": stateKey(list, scope, state), ...(before && { ":before": beforeId }) },
    ScanIndexForward: false,
  };
  return (await queryItems(query, wanted)).map((item) => toRow(list, item));
}
