import type { Change } from "../../domain/records/change.ts";
import { isRecorded, type StoredChange } from "../table/change-stamps.ts";
import { defineEntity, type RecordItem, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import type { Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { tombstoneDays } from "./tombstones.ts";

/** That a record was removed, and who did it: the stream's old image knows the last writer alone. */
export interface StoredRemoval extends StoredItem {
  /** The key of the record. */
  readonly removed: Key;
  /** When it was removed, in UTC. */
  readonly removed_at: string;
  /** Absent where the record has no history, or nothing says who removed it. */
  readonly change?: StoredChange | undefined;
  readonly expires_at: number;
}

/** Longer than a change waits anywhere (in the stream a day, in quarantine 14), and than an export may look back. */
const keptDays = tombstoneDays + 1;
/** How the partition of a removal begins. */
export const removalStart = "REMOVAL#";

/** The entity of removals. */
export const removals = defineEntity<StoredRemoval>("removal", ({ pk }) => pk.startsWith(removalStart));

/** A record as far as its removal is found by it. */
type Removed = Key & Pick<Partial<RecordItem>, "revision" | "change">;

/** Key of the removal of a record as it was last. After a clock that went back another record may have had its revision. */
export function removalKey({ pk, sk, revision = 0, change }: Removed): Key {
  const isAlone = !sk.includes("#");
  return { pk: `${removalStart}${pk}${isAlone ? "" : `#${sk}`}`, sk: `${revision + 1}#${change?.id ?? ""}` };
}

/**
 * The write that says that a record is removed, beside the one that removes it; of records with a history also who does it.
 * Its moment is that of the write: an import may have begun hours before.
 */
export function noteRemoval(record: Removed, by: Change): TransactionWrite {
  const { pk, sk } = record;
  const now = new Date();
  const change = isRecorded(record) ? by : undefined;
  const moment = { removed_at: now.toISOString(), expires_at: epochSecondsAfter(now, keptDays) };
  const item = { ...removalKey(record), removed: { pk, sk }, change, ...moment };
  return { Put: { Item: removals.encode(item) } };
}
