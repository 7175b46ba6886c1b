import type { Scope } from "../../domain/caller.ts";
import type { PageStart } from "../../domain/paging/paging.ts";
import type { ListName } from "../../domain/records/list-place.ts";
import { rememberOrigins } from "../table/origins.ts";
import { type ListedFields, type ListRow, toFields } from "./listed-items.ts";

/** The records of a list in some states, of one company or of all. */
export interface ListSelection<L extends ListName = ListName> {
  readonly list: L;
  readonly states: readonly string[];
  readonly scope: Scope;
}

/** One page of a list. */
export interface ListPage<Fields> {
  readonly items: readonly Fields[];
  readonly total: number;
  /** True when more items follow. */
  readonly hasMore: boolean;
}

/** Cuts a page out of the rows from its start on; one row more than the page says that more follow. */
export function cutPage<L extends ListName>(
  rows: readonly ListRow<L>[],
  total: number,
  { skip, limit }: PageStart,
): ListPage<ListedFields<L>> {
  const newest = rows.toSorted((a, b) => b.id - a.id);
  const shown = newest.slice(skip, skip + limit);
  const items = shown.map(toFields<L>);
  rememberOrigins(items, shown);
  return { items, total, hasMore: newest.length > skip + limit };
}
