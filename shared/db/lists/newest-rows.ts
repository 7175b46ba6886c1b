import type { PageStart } from "../../contract/paging.ts";
import type { ListName } from "../../table/counters.ts";
import { mergeReads, type Source } from "../../table/reads.ts";
import { queryItems } from "../../table/table.ts";
import { stateKey } from "./list-keys.ts";
import { type ListRow, toRow } from "./listed-items.ts";
import type { ListSelection } from "./totals.ts";

/**
 * Pages that begin after so many rows take two round trips, and read no more rows of a state than they need. On earlier
 * pages a round trip costs more than the rows.
 */
export const deep = 100;

/** Above every id. */
const aboveAll = Number.MAX_SAFE_INTEGER + 1;

/** The number of rows that a page needs: one more than it shows says that more follow. */
export function wantedRows({ skip, limit }: PageStart): number {
  return skip + limit + 1;
}

/**
 * The newest rows in the states of a list, whatever their dates: as many as a page needs, fewer only if there are no
 * more. 0.5 read units for each 4 KB of rows a state.
 */
export function readNewest<L extends ListName>(selection: ListSelection<L>, start: PageStart): Promise<ListRow<L>[]> {
  const limit = wantedRows(start);
  const sources = selection.states.map(
    (state): Source<ListRow<L>> => ({ read: (below, most) => readState(selection, state, below, most) }),
  );
  return mergeReads(sources, {
    below: start.beforeId ?? aboveAll,
    limit,
    share: start.skip < deep ? limit : undefined,
  });
}

async function readState<L extends ListName>(
  { list, scope }: ListSelection<L>,
  state: string,
  below: number,
  most: number,
): Promise<ListRow<L>[]> {
  const [index, attribute] = scope === "all" ? ["by-state", "all_key"] : ["by-company", "company_key"];
  const query = {
    IndexName: index,
    KeyConditionExpression: `${attribute} = :key AND id <= :highest`,
    ExpressionAttributeValues: { ":key": stateKey(list, scope, state), ":highest": below - 1 },
    ScanIndexForward: false,
  };
  return (await queryItems(query, most)).map((item) => toRow(list, item));
}
