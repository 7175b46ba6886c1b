import type { Scope } from "../../domain/caller.ts";
import type { PageStart } from "../../domain/paging/paging.ts";
import type { ListName } from "../../domain/records/list-place.ts";
import type { Item } from "../table/table.ts";

/** The records of a list in some states, of one company or of all. */
export interface ListSelection {
  readonly list: ListName;
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
export function cutPage<Fields>(rows: readonly Item[], total: number, { skip, limit }: PageStart): ListPage<Fields> {
  const newest = rows.toSorted((a, b) => Number(b.id) - Number(a.id));
  const items = newest.slice(skip, skip + limit).map(toFields<Fields>);
  return { items, total, hasMore: newest.length > skip + limit };
}

/** The row was read for the page alone: its record is taken, not copied. */
function toFields<Fields>({ id, record }: Item): Fields {
  return Object.assign(record as object, { id }) as Fields;
}
