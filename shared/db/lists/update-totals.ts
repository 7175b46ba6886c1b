import { isDeepStrictEqual } from "node:util";
import type { ListName, ListPlace } from "../../domain/records/list-place.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import { ifUnchanged } from "../table/conditions.ts";
import { type RacePace, retryRaces } from "../table/conflicts.ts";
import type { Item, Key } from "../table/table.ts";
import { maxTransactionWrites, type TransactionWrite, transact } from "../table/transaction.ts";
import { type CountedPlace, countedPlaceKey, nextCountedPlace, readCountedPlace } from "./counted-places.ts";
import { isListedKind, listsByKind } from "./list-keys.ts";
import { placeOfItem } from "./listed-items.ts";
import { changeNumberEntries } from "./number-search.ts";
import { createTotalsChanges } from "./totals-changes.ts";

/** A record whose state or date differs from what was last counted. */
interface Move {
  readonly key: Key;
  readonly list: ListName;
  readonly before: ListPlace | null;
  readonly after: ListPlace | null;
  readonly counted: CountedPlace | undefined;
  readonly record: Item | undefined;
}

const pace: RacePace = { races: 12, firstPauseMs: 10, longestPauseMs: 400 };

/**
 * Access pattern TY1: brings totals and search entries in line with records as they are now, up to 100 of them: each
 * record's move from where it was last counted goes into one transaction with the count itself, so that repeated, late and
 * parallel calls change nothing. Gives the number of records that had to be moved. Refuses as `busy` after many lost races;
 * throws on a record that lacks what its list goes by.
 */
export async function updateTotals(keys: readonly Key[], now: Date): Promise<number> {
  let open = [...new Map(keys.map((key) => [key.pk, key])).values()];
  if (open.length > maxBatchReads) throw new RangeError(`At most ${maxBatchReads} records can be counted at once`);
  let moved = 0;
  return retryRaces(async () => {
    const moves = await findMoves(open);
    open = [];
    for (const chunk of chunksOf(moves)) {
      if (await count(chunk, now)) moved += chunk.length;
      else open.push(...chunk.map(({ key }) => key));
    }
    return open.length === 0 ? moved : undefined;
  }, pace);
}

/** The count is read before its record, so that the record is never older than what it was counted as. */
async function findMoves(keys: readonly Key[]): Promise<Move[]> {
  const counted = await readBatch(keys.map(countedPlaceKey));
  const records = await readBatch(keys);
  return keys.flatMap((key, at) => {
    if (!isListedKind(key.sk)) throw new Error("The key is not of a record that stands in a list");
    const list = listsByKind[key.sk];
    const record = records[at];
    const count = readCountedPlace(counted[at]);
    const before = count?.place ?? null;
    const after = placeOfItem(key.sk, record);
    return isDeepStrictEqual(before, after) ? [] : [{ key, list, before, after, counted: count, record }];
  });
}

/** As many moves at a time as one transaction takes. */
function* chunksOf(moves: readonly Move[]): Generator<Move[]> {
  let chunk: Move[] = [];
  let totals = createTotalsChanges();
  let writes = 0;
  for (const move of moves) {
    const own = 2 + changeNumberEntries(move.before, move.after).length;
    totals.move(move.list, move.before, move.after);
    const isTooMuch = totals.isFull() || writes + own + totals.size() > maxTransactionWrites;
    if (chunk.length > 0 && isTooMuch) {
      yield chunk;
      [chunk, writes, totals] = [[], 0, createTotalsChanges()];
      totals.move(move.list, move.before, move.after);
    }
    chunk.push(move);
    writes += own;
  }
  if (chunk.length > 0) yield chunk;
}

/** True when the moves are counted; false when another write changed a record or a bound. */
async function count(moves: readonly Move[], now: Date): Promise<boolean> {
  const totals = createTotalsChanges();
  for (const { list, before, after } of moves) totals.move(list, before, after);
  const own = moves.flatMap(({ key, before, after, counted, record }): TransactionWrite[] => [
    { Put: { Item: nextCountedPlace(key, counted, after, now), ...ifUnchanged(counted) } },
    // A delayed consumer must not count a state that the record has left, even where no other was counted since.
    { ConditionCheck: { Key: { ...key }, ...ifUnchanged(record) } },
    ...changeNumberEntries(before, after),
  ]);
  const failed = await transact([...own, ...(await totals.writes())]);
  return failed.length === 0;
}
