import { isWithin, type Scope } from "../../contract/operation.ts";
import { Refusal } from "../../contract/refusals.ts";
import type { ListName } from "../../table/counters.ts";
import { readBatch } from "../../table/reads.ts";
import { type ListedItem, listedItems, listedKey, requireWhole } from "../lists/listed-items.ts";

/**
 * Reads records by id, in their order; those that are absent or outside the scope are left out (D2). n read units, by
 * `BatchGetItem`.
 */
export async function readRecordsWithin<L extends ListName>(
  list: L,
  ids: readonly number[],
  scope: Scope,
): Promise<ListedItem<L>[]> {
  const items = await readBatch(ids.map((id) => listedKey(list, id)));
  const records = items.flatMap((item) => (item ? [listedItems[list].decode(item)] : []));
  return records.filter(({ company_id }) => isWithin(scope, company_id)).map(requireWhole);
}

/** Refuses with `records_not_found`, and the missing ids, if some of the records were not found (D2, D18). */
export function requireAll(ids: readonly number[], found: readonly { readonly id: number }[]): void {
  const foundIds = new Set(found.map(({ id }) => id));
  const missing = ids.filter((id) => !foundIds.has(id));
  if (missing.length > 0) throw recordsNotFound(missing);
}

/**
 * Access pattern R5: reads one record within the scope. The read is consistent, because a push leads to the record
 * right after its write (D39). Refuses with `record_not_found` if the record is absent or outside the scope, or if the
 * id is none: all three look alike (D2). 1 read unit, by `GetItem`.
 */
export async function requireRecord<L extends ListName>(
  list: L,
  id: number | undefined,
  scope: Scope,
): Promise<ListedItem<L>> {
  const stored = id === undefined ? undefined : await listedItems[list].find(listedKey(list, id), { consistent: true });
  if (!stored || !isWithin(scope, stored.company_id)) throw recordNotFound();
  return requireWhole(stored);
}

/** The refusal of a record that is missing or not the caller's: both look alike (D2). */
export function recordNotFound(): Refusal {
  return new Refusal("record_not_found", "The record does not exist");
}

/** The refusal of a bulk operation over records that are missing or another company's: both look alike (D2, D18). */
function recordsNotFound(missingIds: readonly number[]): Refusal {
  return new Refusal("records_not_found", "Some of the records do not exist", { missingIds });
}
