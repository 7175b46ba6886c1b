import { isDeepStrictEqual } from "node:util";
import { chunksOf } from "../../batches.ts";
import type { ListName, ListPlace } from "../../domain/records/list-place.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import { putBatch } from "../table/batch-writes.ts";
import { ifUnchanged } from "../table/conditions.ts";
import { type RacePace, retryRaces } from "../table/conflicts.ts";
import { nameOf } from "../table/keys.ts";
import type { Item, Key } from "../table/table.ts";
import type { TableChange } from "../table/table-changes.ts";
import { maxTransactionWrites, type TransactionWrite, transact } from "../table/transaction.ts";
import { type CountedPlace, countedPlaceKey, nextCountedPlace, readCountedPlace } from "./counted-places.ts";
import { isListedKind, type ListedKind, listsByKind } from "./list-keys.ts";
import { placeOfItem, revisionOf } from "./listed-items.ts";
import { deleteEntry, entriesMissingIn, entriesOf, putEntry, type StoredNumberEntry } from "./number-search.ts";
import { createTotalsChanges } from "./totals-changes.ts";

/** A record to be counted, with what the stream says of it; without that, as it is now. */
interface Subject {
  readonly key: Key;
  readonly kind: ListedKind;
  readonly change?: RecordChange;
}

/** Where a record stood after the last of its changes in a batch. */
interface RecordChange {
  readonly place: ListPlace | null;
  /** The record's revision, of a removal the one after the last. */
  readonly revision: number;
  /** Whether any of the changes led to another place, even if a later one led back. */
  readonly moved: boolean;
  /** The search entries of each place that the changes led to: an earlier try of this batch may have stored them. */
  readonly entries: readonly StoredNumberEntry[];
}

/** A record's way from the place that it was last counted at to another. */
interface Move {
  readonly subject: Subject;
  readonly counted: CountedPlace | undefined;
  readonly place: ListPlace | null;
  readonly revision: number;
  /** The record that the move depends on, null where there must be none; undefined where revisions alone decide. */
  readonly held?: Item | null | undefined;
  /** Entries of neither place that an earlier try may have stored. */
  readonly leftBehind: readonly StoredNumberEntry[];
}

const pace: RacePace = { races: 12, firstPauseMs: 10, longestPauseMs: 400 };

/**
 * Access pattern TY1: brings totals and search entries in line with changes of records, up to 100 of them. The count of each
 * record goes into one transaction with the totals that it changes, and keeps the revision that was counted: repeated, late and
 * parallel calls change nothing, as a lower revision never replaces a higher one. Search entries are stored before the
 * count and removed with it. Gives the number of counts written. Refuses as `busy` after many lost races; throws on a
 * record that lacks what its list goes by.
 */
export function countChanges(changes: readonly TableChange[], now: Date): Promise<number> {
  const byRecord = Map.groupBy(changes, ({ key }) => key.pk);
  return count([...byRecord.values()].map(subjectOf), now);
}

/** As `countChanges`, for records as they are now: each is read, and held to that where revisions do not decide. */
export function updateTotals(keys: readonly Key[], now: Date): Promise<number> {
  const unique = [...new Map(keys.map((key) => [key.pk, key])).values()];
  return count(
    unique.map((key) => ({ key, kind: kindOf(key) })),
    now,
  );
}

function subjectOf(changes: readonly TableChange[]): Subject {
  const ordered = changes.toSorted((one, other) => revisionAfter(one) - revisionAfter(other));
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (!first || !last) throw new RangeError("A record has no change");
  const { key } = last;
  const kind = kindOf(key);
  if (!last.before && !last.after) return { key, kind };
  const places = [placeOfItem(kind, first.before), ...ordered.map(({ after }) => placeOfItem(kind, after))];
  const moved = places.some((place, at) => at > 0 && !isDeepStrictEqual(place, places[at - 1]));
  const entries = places.slice(1).flatMap(entriesOf);
  return { key, kind, change: { place: places.at(-1) ?? null, revision: revisionAfter(last), moved, entries } };
}

function revisionAfter({ before, after }: TableChange): number {
  return after ? revisionOf(after) : revisionOf(before) + 1;
}

function kindOf({ sk }: Key): ListedKind {
  if (!isListedKind(sk)) throw new Error("The key is not of a record that stands in a list");
  return sk;
}

async function count(subjects: readonly Subject[], now: Date): Promise<number> {
  if (subjects.length > maxBatchReads) throw new RangeError(`At most ${maxBatchReads} records can be counted at once`);
  let open = subjects;
  const hasChanges = subjects.some(({ change }) => change);
  let tries = 0;
  let written = 0;
  return retryRaces(async () => {
    const isFresh = tries > 0;
    const moves = await findMoves(open, !isFresh && hasChanges);
    open = [];
    tries += 1;
    await storeEntries(moves);
    for (const part of transactionsOf(moves, now)) {
      if (await writeMoves(part, now, isFresh)) written += part.length;
      else open = [...open, ...part.map(({ subject }) => subject)];
    }
    return open.length === 0 ? written : undefined;
  }, pace);
}

/** What is to be counted; first by reads that may be behind, and where those leave a doubt by consistent ones. */
async function findMoves(subjects: readonly Subject[], mayBeBehind: boolean): Promise<Move[]> {
  const consistent = !mayBeBehind;
  const reading = readBatch(
    subjects.map(({ key }) => countedPlaceKey(key)),
    { consistent },
  );
  // A record that is read consistently after its count is never older than what it was counted as.
  if (consistent) await reading;
  const records = readBatch(
    subjects.map(({ key }) => key),
    { consistent },
  );
  const read = await Promise.all([reading, records]);
  const doubtful: Subject[] = [];
  const moves = subjects.flatMap((subject, at) => {
    const counted = readCountedPlace(read[0][at]);
    const record = read[1][at];
    const next = nextOf(subject, counted, record) ?? (consistent ? nextByRecord(subject, counted, record) : undefined);
    if (next) return [moveOf(subject, counted, next)];
    doubtful.push(subject);
    return [];
  });
  const certain = doubtful.length > 0 ? await findMoves(doubtful, false) : [];
  return [...(await withoutIdle(moves)), ...certain];
}

type Next = Pick<Move, "place" | "revision" | "held">;

/** Where a change leads, if its revision and what was read agree; undefined where they leave a doubt. */
function nextOf({ kind, change }: Subject, counted: CountedPlace | undefined, record: Item | undefined) {
  if (!change) return undefined;
  const standing = standingOf(counted);
  const { place, revision } = change;
  // A table that was restored may be behind the stream of the one before.
  const isReached = record ? revisionOf(record) >= revision : place === null;
  if (revision > standing.revision) return isReached ? change : undefined;
  const isCounted = isSame(standing.place, place) || isSame(standing.place, placeOfItem(kind, record));
  return isCounted ? standing : undefined;
}

/** Where a record stands now, to be counted while it is as it was read. */
function nextByRecord({ kind }: Subject, counted: CountedPlace | undefined, record: Item | undefined): Next {
  const standing = standingOf(counted);
  const place = placeOfItem(kind, record);
  if (isSame(standing.place, place)) return standing;
  // After a clock that went back, or in a table that was restored, a record's revision may be lower than one that was counted.
  return { place, revision: Math.max(standing.revision, revisionOf(record)), held: record ?? null };
}

function standingOf(counted: CountedPlace | undefined): Next {
  return { place: counted?.place ?? null, revision: counted?.record_revision ?? 0 };
}

function moveOf(subject: Subject, counted: CountedPlace | undefined, { place, revision, held }: Next): Move {
  const current = [...entriesOf(place), ...entriesOf(counted?.place ?? null)];
  const leftBehind = entriesMissingIn(current, subject.change?.entries ?? []);
  return { subject, counted, place, revision, held, leftBehind };
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
    .filter((move) => move.leftBehind.length > 0 || isChange(move));
}

/** A change that led back to where the record was counted is stored all the same: none before it may be counted after it. */
function isChange({ subject, counted, place, revision }: Move): boolean {
  const standing = standingOf(counted);
  const isNewer = revision > standing.revision && subject.change?.moved === true;
  return isNewer || !isSame(standing.place, place);
}

function isSame(one: ListPlace | null, other: ListPlace | null): boolean {
  return isDeepStrictEqual(one, other);
}

/**
 * Stores the search entries of places before they are counted; only a transaction that writes the count removes any. An entry
 * that is removed after this and before the count makes the count fail, and is stored again.
 */
async function storeEntries(moves: readonly Move[]): Promise<void> {
  const missing = moves.flatMap((move) => (move.held === undefined ? missingEntries(move) : []));
  await putBatch(missing.map((entry) => putEntry(entry).Put.Item));
}

function missingEntries({ counted, place }: Move): StoredNumberEntry[] {
  return entriesMissingIn(entriesOf(counted?.place ?? null), entriesOf(place));
}

/** The writes of a move that are not shared with others. */
function ownWrites(move: Move, now: Date): TransactionWrite[] {
  const { counted, place, held, leftBehind } = move;
  const { key } = move.subject;
  const gone = [...entriesMissingIn(entriesOf(place), entriesOf(counted?.place ?? null)), ...leftBehind];
  return [
    { Put: { Item: nextCountedPlace(key, counted, move, now), ...ifUnchanged(counted) } },
    ...gone.map(deleteEntry),
    ...(held === undefined
      ? []
      : [
          { ConditionCheck: { Key: { ...key }, ...ifUnchanged(held ?? undefined) } },
          ...missingEntries(move).map(putEntry),
        ]),
  ];
}

function listOf({ subject: { kind } }: Move): ListName {
  return listsByKind[kind];
}

/** As many moves at a time as one transaction takes. */
function* transactionsOf(moves: readonly Move[], now: Date): Generator<Move[]> {
  let part: Move[] = [];
  let [writes, totals] = [0, createTotalsChanges()];
  for (const move of moves) {
    const own = ownWrites(move, now).length;
    totals.move(listOf(move), move.counted?.place ?? null, move.place);
    if (part.length > 0 && writes + own + totals.size() > maxTransactionWrites) {
      yield part;
      [part, writes, totals] = [[], 0, createTotalsChanges()];
      totals.move(listOf(move), move.counted?.place ?? null, move.place);
    }
    part.push(move);
    writes += own;
  }
  if (part.length > 0) yield part;
}

/** True when the moves are counted; false when another write changed a count, a record or a bound. */
async function writeMoves(moves: readonly Move[], now: Date, isFresh: boolean): Promise<boolean> {
  const totals = createTotalsChanges();
  for (const move of moves) totals.move(listOf(move), move.counted?.place ?? null, move.place);
  const own = moves.flatMap((move) => ownWrites(move, now));
  const failed = await transact([...own, ...(await totals.writes(isFresh))]);
  return failed.length === 0;
}
