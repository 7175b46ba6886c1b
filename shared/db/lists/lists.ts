import type { FoundPage, PageStart } from "../../domain/paging/paging.ts";
import type { ListName } from "../../domain/records/list-position.ts";
import { mergeReads, type Source } from "../table/merged-reads.ts";
import { queryItems } from "../table/table.ts";
import { findDatedPage } from "./dated-lists.ts";
import { stateKey } from "./list-keys.ts";
import { cutPage, type ListedFields, type ListRow, toRow } from "./listed-items.ts";
import { countList, type ListSelection } from "./totals.ts";

/** Pages from here on take a second round trip, and no state is read further than it is needed: near the top a round trip counts more. */
const deep = 100;

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
  if (start.skip >= deep && start.beforeId === undefined) return findDeepPage(selection, start, wanted);
  const [total, ...rows] = await Promise.all([
    countList(selection),
    ...selection.states.map((state) => readNewest(selection, state, wanted, start.beforeId)),
  ]);
  return cutPage(rows.flat(), total, start);
}

/** A page that may be past the end, which the total says: no state is read as deep as all of them together. */
async function findDeepPage<L extends ListName>(selection: ListSelection<L>, start: PageStart, wanted: number) {
  const total = await countList(selection);
  const isThere = start.skip < total;
  return cutPage(isThere ? await readMerged(selection, wanted) : [], total, start);
}

function readMerged<L extends ListName>(selection: ListSelection<L>, wanted: number): Promise<ListRow<L>[]> {
  const sources = selection.states.map(
    (state): Source<ListRow<L>, number> => ({
      read: (below, limit) => readNewest(selection, state, limit, below),
    }),
  );
  return mergeReads(sources, { keyOf: ({ id }) => id, below: undefined, limit: wanted });
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
