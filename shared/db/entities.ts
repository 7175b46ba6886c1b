import { accountEntities } from "./accounts/entities.ts";
import { answerPieces } from "./answer-pieces.ts";
import { idempotentRuns } from "./idempotency.ts";
import { countedPlaces } from "./lists/counted-places.ts";
import { listedItems } from "./lists/listed-items.ts";
import { numberEntries } from "./lists/number-search.ts";
import { listTotals } from "./lists/totals.ts";
import { migrations } from "./migrate/migrations.ts";
import { notificationEntities } from "./notifications/entities.ts";
import { companies } from "./records/companies.ts";
import type { Entity } from "./table/entity.ts";
import { sequences } from "./table/sequences.ts";
import type { Item, Key } from "./table/table.ts";
import type { TableChange } from "./table/table-changes.ts";
import { tombstones } from "./writes/tombstones.ts";

const recordEntities = [
  companies,
  listedItems.TIMESHEETS,
  listedItems.INVOICES,
  listedItems.JOBS,
  tombstones,
  countedPlaces,
  listTotals,
  numberEntries,
  sequences,
  migrations,
] as const satisfies readonly Entity<object>[];

/** Every kind of item that the table holds; an item belongs to exactly one. */
export const entities: readonly Entity<object>[] = [
  ...accountEntities,
  ...notificationEntities,
  idempotentRuns,
  answerPieces,
  ...recordEntities,
];

/** The entity of the item with a key. */
export function entityOf(key: Key): Entity<object> | undefined {
  return entities.find(({ matches }) => matches(key));
}

/**
 * A change with its items as the newest version has them. Throws `ItemTooNewError` as `decode` does, on the item before as
 * well: without it a change would pass for a new record, and people would be notified of what they know.
 */
export function decodeChange(change: TableChange): TableChange {
  const entity = entityOf(change.key);
  const decode = (item: Item | undefined) => (item && entity ? { ...entity.decode(item) } : item);
  return { ...change, before: decode(change.before), after: decode(change.after) };
}
