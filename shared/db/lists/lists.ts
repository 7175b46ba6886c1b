import type { FoundPage, PageStart } from "../../domain/paging/paging.ts";
import type { ListName } from "../../domain/records/list-place.ts";
import { queryItems } from "../table/table.ts";
import { findDatedPage } from "./dated-lists.ts";
import { stateKey } from "./list-keys.ts";
import { cutPage, type ListedFields, type ListRow, toRow } from "./listed-items.ts";
import { countList, type ListSelection } from "./totals.ts";

/** Pages from here on are read state by state in turn: most are asked for near the top, where one round trip counts more. */
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

async function readMerged<L extends ListName>(selection: ListSelection<L>, wanted: number): Promise<ListRow<L>[]> {
  const streams = selection.states.map((state) => ({ state, reached: Number.POSITIVE_INFINITY }));
  let rows: ListRow<L>[] = [];
  for (let limit = Math.ceil(wanted / streams.length); ; limit = Math.ceil(wanted / 8)) {
    const lowest = rows[wanted - 1]?.id ?? 0;
    const open = streams.filter(({ reached }) => reached > lowest);
    if (open.length === 0) return rows;
    const read = await Promise.all(
      open.map(async (stream) => {
        const before = Number.isFinite(stream.reached) ? stream.reached : undefined;
        const found = await readNewest(selection, stream.state, limit, before);
        stream.reached = found.length < limit ? 0 : (found.at(-1)?.id ?? 0);
        return found;
      }),
    );
    rows = [...rows, ...read.flat()].sort((a, b) => b.id - a.id).slice(0, wanted);
  }
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
