import { type ChangeStamp, isRecorded, stampOf } from "../table/change-stamps.ts";
import { defineEntity, type RecordItem, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import type { Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { tombstoneDays } from "./tombstones.ts";

/** That a record was removed, and who did it: the stream's old image knows the last writer alone. */
export interface StoredRemoval extends StoredItem, ChangeStamp {
  /** The key of the record. */
  readonly removed: Key;
  /** When it was removed, in UTC. */
  readonly removed_at: string;
  readonly expires_at: number;
}

/** Longer than a change waits anywhere (in the stream a day, in quarantine 14), and than an export may look back. */
const keptDays = tombstoneDays + 1;
/** How the partition of a removal begins. */
export const removalStart = "REMOVAL#";

/** The entity of removals. */
export const removals = defineEntity<StoredRemoval>("removal", ({ pk }) => pk.startsWith(removalStart));

/** Key of the removal of a record, by the revision that the record had last. */
export function removalKey(key: Key, lastRevision: number): Key {
  const isAlone = key.sk.indexOf("#") < 0;
  return { pk: `${removalStart}${key.pk}${isAlone ? "" : `#${key.sk}`}`, sk: String(lastRevision + 1) };
}

/**
 * The write that says that a record is removed, beside the one that removes it; of records with a history also who does it.
 * Its moment is that of the write: an import may have begun hours before.
 */
export function noteRemoval({ pk, sk, revision = 0 }: Key & Partial<RecordItem>): TransactionWrite {
  const removed = { pk, sk };
  const now = new Date();
  const change = isRecorded(removed) ? stampOf(removed, revision + 1).change : undefined;
  const moment = { removed_at: now.toISOString(), expires_at: epochSecondsAfter(now, keptDays) };
  return { Put: { Item: removals.encode({ ...removalKey(removed, revision), removed, change, ...moment }) } };
}
