import { type ChangeStamp, isRecorded, stampOf } from "../table/change-stamps.ts";
import { defineEntity, type RecordItem, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import type { Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";

/** Who removed a record: the stream's old image knows the last writer alone. */
export interface StoredRemoval extends StoredItem, ChangeStamp {
  readonly expires_at: number;
}

/** Longer than a change waits anywhere: in the stream a day, in quarantine 14. */
const keptDays = 30;
const partitionStart = "REMOVAL#";

/** The entity of removals. */
export const removals = defineEntity<StoredRemoval>("removal", ({ pk }) => pk.startsWith(partitionStart));

/** Key of the removal of a record, by the revision that the record had last. */
export function removalKey({ pk }: Key, lastRevision: number): Key {
  return { pk: `${partitionStart}${pk}`, sk: String(lastRevision + 1) };
}

/** The write that says who removes a record, beside the one that removes it; none where nothing is said of it. */
export function noteRemoval({ pk, sk, revision = 0 }: Key & Partial<RecordItem>, now: Date): TransactionWrite[] {
  const { change } = stampOf({ pk, sk }, revision + 1);
  if (!change || !isRecorded({ pk, sk })) return [];
  const item = { ...removalKey({ pk, sk }, revision), change, expires_at: epochSecondsAfter(now, keptDays) };
  return [{ Put: { Item: removals.encode(item) } }];
}
