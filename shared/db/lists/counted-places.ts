import type { ListPosition } from "../../domain/records/list-position.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import type { Item, Key } from "../table/table.ts";
import { isListedKind } from "./list-keys.ts";

/** What a record was last counted as. */
export interface CountedPlace extends StoredItem {
  /** Null once the record is removed. */
  readonly place: ListPosition | null;
  /** Goes up with every write. */
  readonly revision: number;
  /** The record's revision that was counted, of a removal the one after the last. */
  readonly record_revision: number;
  readonly expires_at?: number | undefined;
}

const countedSk = "TALLIED";
/** How long the count of a removed record is kept: longer than any consumer that still knows the record can run. */
const removedCountDays = 2;

/** The entity of what records were last counted as. */
export const countedPlaces = defineEntity<CountedPlace>(
  "counted place",
  ({ pk, sk }) => sk === countedSk && isListedKind(pk.split("#")[0] ?? ""),
);

/** Key of what a record now contributes to the totals. */
export function countedPlaceKey({ pk }: Key): Key {
  return { pk, sk: countedSk };
}

/** What a record was last counted as, as read. */
export function readCountedPlace(item: Item | undefined): CountedPlace | undefined {
  return item && countedPlaces.decode(item);
}

/** The item that counts a record at a place, as one of its revisions left it. */
export function nextCountedPlace(
  record: Key,
  counted: CountedPlace | undefined,
  { place, revision: record_revision }: { readonly place: ListPosition | null; readonly revision: number },
  now: Date,
): Item {
  const revision = (counted?.revision ?? 0) + 1;
  const expires_at = place ? undefined : epochSecondsAfter(now, removedCountDays);
  return countedPlaces.encode({ ...counted, ...countedPlaceKey(record), place, revision, record_revision, expires_at });
}
