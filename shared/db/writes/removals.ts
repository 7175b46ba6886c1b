import { changeOf, isRecorded, type StoredChange } from "../table/change-stamps.ts";
import { defineEntity, type RecordItem, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import type { Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";

/** Who removed a record: the stream's old image knows the last writer alone. */
export interface StoredRemoval extends StoredItem {
  readonly change: StoredChange;
  readonly expires_at: number;
}

/** Longer than a change waits anywhere: in the stream a day, in quarantine 14. */
const keptDays = 30;
const partitionStart = "REMOVAL#";

/** The entity of removals. */
export const removals = defineEntity<StoredRemoval>("removal", ({ pk }) => pk.startsWith(partitionStart));

/** A record as far as its removal is found by it. */
type Removed = Key & Pick<Partial<RecordItem>, "revision" | "change">;

/** Key of the removal of a record as it was last. After a clock that went back another record may have had its revision. */
export function removalKey({ pk, revision = 0, change }: Removed): Key {
  return { pk: `${partitionStart}${pk}`, sk: `${revision + 1}#${change?.id ?? ""}` };
}

/** The write that says who removes a record, beside the one that removes it; none where nothing is said of it. */
export function noteRemoval(removed: Removed, now: Date): TransactionWrite[] {
  const change = changeOf(removed);
  if (!change || !isRecorded(removed)) return [];
  const item = { ...removalKey(removed), change, expires_at: epochSecondsAfter(now, keptDays) };
  return [{ Put: { Item: removals.encode(item) } }];
}
