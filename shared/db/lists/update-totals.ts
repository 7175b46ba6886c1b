import { chunksOf } from "../../batches.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import { putBatch } from "../table/batch-writes.ts";
import { nameOf } from "../table/item-keys.ts";
import { paces, retry } from "../table/retry.ts";
import type { StreamRecord } from "../table/stream-records.ts";
import type { Key } from "../table/table.ts";
import { transact } from "../table/transaction.ts";
import { countedPlaceKey, readCountedPlace } from "./counted-places.ts";
import { placePaths } from "./listed-items.ts";
import {
  addedEntries,
  isWritten,
  type Move,
  moveByChange,
  moveByRecord,
  type Seen,
  type Subject,
  subjectAt,
  subjectOf,
  type Transaction,
  transactionsOf,
} from "./moves.ts";
import { numberEntries } from "./number-search.ts";
import { writesOf } from "./totals-changes.ts";

/**
 * Access pattern TY1: brings totals and search entries in line with changes of records, up to 100 of them. The count of each
 * record goes into one transaction with the totals that it changes, and keeps the revision that was counted: repeated, late and
 * parallel calls change nothing, as a lower revision never replaces a higher one. Search entries are stored before the
 * count and removed with it. Gives the number of counts written. Refuses as `busy` after many lost races; throws on a
 * record that lacks what its list goes by.
 */
export async function countChanges(changes: readonly StreamRecord[], now: Date): Promise<number> {
  const byRecord = Map.groupBy(changes, ({ key }) => key.pk);
  return count([...byRecord.values()].map(subjectOf), now);
}

/** As `countChanges`, for records as they are now: each is read, and held to that where revisions do not decide. */
export function updateTotals(keys: readonly Key[], now: Date): Promise<number> {
  const unique = new Map(keys.map((key) => [key.pk, key]));
  return count([...unique.values()].map(subjectAt), now);
}

async function count(subjects: readonly Subject[], now: Date): Promise<number> {
  if (subjects.length > maxBatchReads) throw new RangeError(`At most ${maxBatchReads} records can be counted at once`);
  let open = subjects;
  let written = 0;
  return retry(paces.totals, async (tries) => {
    const isFresh = tries > 0;
    const moves = await findMoves(open, isFresh);
    open = [];
    await storeEntries(moves);
    for (const transaction of transactionsOf(moves, now)) {
      if (await write(transaction, isFresh)) written += transaction.moves.length;
      else open = [...open, ...transaction.moves.map(({ subject }) => subject)];
    }
    return open.length === 0 ? written : undefined;
  });
}

/** What is to be counted; first by reads that may be behind, and where those leave a doubt by consistent ones. */
async function findMoves(subjects: readonly Subject[], isFresh: boolean): Promise<Move[]> {
  const early = isFresh
    ? []
    : await look(
        subjects.filter(({ change }) => change),
        false,
      );
  const moves = early.flatMap((seen) => moveByChange(seen) ?? []);
  const decided = new Set(moves.map(({ subject }) => subject));
  const late = await look(
    subjects.filter((subject) => !decided.has(subject)),
    true,
  );
  return withoutIdle([...moves, ...late.map((seen) => moveByChange(seen) ?? moveByRecord(seen))]);
}

async function look(subjects: readonly Subject[], consistent: boolean): Promise<Seen[]> {
  const reading = readBatch(
    subjects.map(({ key }) => countedPlaceKey(key)),
    { consistent },
  );
  // A record that is read consistently after its count is never older than what it was counted as.
  if (consistent) await reading;
  const [places, records] = await Promise.all([
    reading,
    readBatch(
      subjects.map(({ key }) => key),
      { consistent, paths: placePaths, withTombstones: true },
    ),
  ]);
  return subjects.map((subject, at) => ({ subject, counted: readCountedPlace(places[at]), record: records[at] }));
}

/** Without entries that are not there after all, and without moves that then would write nothing. */
async function withoutIdle(moves: readonly Move[]): Promise<Move[]> {
  const there = new Set<string>();
  for (const chunk of chunksOf(
    moves.flatMap(({ leftBehind }) => leftBehind),
    maxBatchReads,
  )) {
    for (const entry of await readBatch(chunk.map(({ pk, sk }) => ({ pk, sk })))) if (entry) there.add(nameOf(entry));
  }
  return moves
    .map((move) => ({ ...move, leftBehind: move.leftBehind.filter((entry) => there.has(nameOf(entry))) }))
    .filter(isWritten);
}

/**
 * Stores the search entries of places before they are counted; only a transaction that writes the count removes any. An entry
 * that is removed after this and before the count makes the count fail, and is stored again.
 */
async function storeEntries(moves: readonly Move[]): Promise<void> {
  const added = moves.filter(({ held }) => held === undefined).flatMap(addedEntries);
  await putBatch(added.map(numberEntries.encode));
}

/** True when the moves are counted; false when another write changed a count, a record or a bound. */
async function write({ own, totals }: Transaction, isFresh: boolean): Promise<boolean> {
  const failed = await transact([...own, ...(await writesOf(totals, isFresh))]);
  return failed.length === 0;
}
