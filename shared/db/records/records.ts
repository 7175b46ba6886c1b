import type { Scope } from "../../domain/caller.ts";
import { isWithin } from "../../domain/caller.ts";
import { Refusal } from "../../domain/refusal.ts";
import { readBatch } from "../table/batch-reads.ts";
import { type RecordKind, recordKey } from "../table/keys.ts";
import { getItem, type Item } from "../table/table.ts";

/** A timesheet, invoice or job as stored: the interface's fields beside what only the service knows. */
export interface StoredRecord<Fields> {
  readonly id: number;
  /** The tenant (D2). */
  readonly companyId: number;
  /** Goes up with every write. */
  readonly revision: number;
  readonly fields: Fields;
}

/** Reads a stored item back. */
export function toRecord<Fields>(item: Item): StoredRecord<Fields> {
  const { id, company_id, revision, record } = item;
  return { id, companyId: company_id, revision, fields: { id, ...(record as object) } } as StoredRecord<Fields>;
}

/** Reads records by id, all within the scope, or refuses as `records_not_found` naming those that are not (D2, D18). */
export async function findRecordsWithin<Fields>(
  kind: RecordKind,
  ids: readonly number[],
  scope: Scope,
): Promise<StoredRecord<Fields>[]> {
  const items = await readBatch(ids.map((id) => recordKey(kind, id)));
  const records = items.flatMap((item) => (item ? [toRecord<Fields>(item)] : []));
  const owned = records.filter((record) => isWithin(scope, record.companyId));
  if (owned.length < ids.length) {
    const ownedIds = new Set(owned.map((record) => record.id));
    throw recordsNotFound(ids.filter((id) => !ownedIds.has(id)));
  }
  return owned;
}

/**
 * Reads one record within the scope, as it is now: a push leads to it right after its write (D39). Refuses as
 * `record_not_found` what is absent, outside the scope or no id at all, all alike (D2). 1 read unit.
 */
export async function requireRecord<Fields>(kind: RecordKind, id: number | undefined, scope: Scope): Promise<Fields> {
  const item = id === undefined ? undefined : await getItem(recordKey(kind, id), { consistent: true });
  const record = item && toRecord<Fields>(item);
  if (!record || !isWithin(scope, record.companyId)) {
    throw new Refusal("record_not_found", "The record does not exist");
  }
  return record.fields;
}

/** The refusal of a bulk operation over records that are missing or another company's: both look alike (D2, D18). */
export function recordsNotFound(missingIds: readonly number[]): Refusal {
  return new Refusal("records_not_found", "Some of the records do not exist", { missingIds });
}
