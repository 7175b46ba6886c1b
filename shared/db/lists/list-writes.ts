import { type PositionFields, positionFault, positionOf } from "../../domain/records/list-position.ts";
import { type Count, countsBetween, type ListName, type ListPosition } from "../../table/counters.ts";
import type { TransactionWrite } from "../../table/writes.ts";
import type { ListedItem } from "./listed-items.ts";
import { deleteEntry, entriesMissingIn, entriesOf, putEntry } from "./number-entries.ts";

/** The part of a transaction that keeps lists, totals and the search by number in line with a record. */
export interface ListWrites {
  readonly writes: readonly TransactionWrite[];
  readonly counts: readonly Count[];
}

/**
 * The search entries and counts that change with a record of a list; an absent item is no record. Nothing changes if
 * the record keeps its company, state, date and number. A damaged record counts as absent, so that a write can repair
 * or remove it; a recount then repairs the counters. Throws if the next item lacks an attribute that its list is sorted
 * by.
 */
export function listWrites<L extends ListName>(
  list: L,
  before: ListedItem<L> | undefined,
  after: ListedItem<L> | undefined,
): ListWrites {
  const [left, entered] = [before ? listPositionOf(list, before) : null, positionOrNull(list, after)];
  const [gone, come] = [entriesOf(left), entriesOf(entered)];
  return {
    writes: [...entriesMissingIn(come, gone).map(deleteEntry), ...entriesMissingIn(gone, come).map(putEntry)],
    counts: countsBetween(list, left, entered),
  };
}

/** The place of a record in its list; null for one that was damaged. */
export function listPositionOf<L extends ListName>(list: L, item: PlacedItem<L>): ListPosition | null {
  return positionFault(list, item.company_id, fieldsOf(item)) === undefined ? positionOrNull(list, item) : null;
}

/** The attributes that place a record in its list. */
type PlacedItem<L extends ListName> = Pick<ListedItem<L>, "id" | "company_id" | "record">;

function positionOrNull<L extends ListName>(list: L, item: PlacedItem<L> | undefined): ListPosition | null {
  return item ? positionOf(list, item.company_id, fieldsOf(item)) : null;
}

function fieldsOf({ id, record }: PlacedItem<ListName>): PositionFields {
  return { ...record, id };
}
