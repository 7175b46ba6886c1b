import { changeOf, isRecorded, type StoredChange } from "../table/change-stamps.ts";
import { defineEntity, type RecordItem, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import { type Key, queryItems } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import type { UndoStamps } from "../table/undo-stamps.ts";

/** Who removed a record: the stream's old image knows the last writer alone. */
export interface StoredRemoval extends StoredItem, UndoStamps {
  readonly change?: StoredChange | undefined;
  readonly expires_at: number;
}

/** Longer than a change waits anywhere: in the stream a day, in quarantine 14. */
const keptDays = 30;
const mostRemovals = 10;
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
export function noteRemoval(removed: Removed & UndoStamps, now: Date): TransactionWrite[] {
  const change = changeOf(removed);
  const { undoable, withdrawn } = removed;
  if (!isRecorded(removed) || !(change ?? undoable ?? withdrawn)) return [];
  const kept = { change, undoable, withdrawn, expires_at: epochSecondsAfter(now, keptDays) };
  const item = { ...removalKey(removed), ...kept };
  return [{ Put: { Item: removals.encode(item) } }];
}

/** How a record was removed, the last time first: at most 10 times. 1 read unit. */
export async function findRemovals(record: Key): Promise<StoredRemoval[]> {
  const query = {
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": `${partitionStart}${record.pk}` },
    ScanIndexForward: false,
    ConsistentRead: true,
  };
  return (await queryItems(query, mostRemovals)).map(removals.decode);
}
