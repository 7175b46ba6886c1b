import { isDeepStrictEqual } from "node:util";
import type { ListPosition } from "../../domain/records/list-position.ts";
import { ifUnchanged } from "../table/conditions.ts";
import { nameOf } from "../table/item-keys.ts";
import type { StreamRecord } from "../table/stream-records.ts";
import type { Item, Key } from "../table/table.ts";
import { maxTransactionWrites, type TransactionWrite } from "../table/transaction.ts";
import { type CountedPlace, nextCountedPlace } from "./counted-places.ts";
import { isListedKind, type ListedKind, listsByKind } from "./list-keys.ts";
import { placeOfItem, revisionOf } from "./listed-items.ts";
import { deleteEntry, entriesMissingIn, entriesOf, putEntry, type StoredNumberEntry } from "./number-search.ts";
import { addFigures, changesOf, type TotalsByName } from "./totals-changes.ts";

/** A record to be counted, with what the stream says of it; without that, as it is now. */
export interface Subject {
  readonly key: Key;
  readonly kind: ListedKind;
  readonly change?: RecordMove;
}

/** Where a record stood after the last of its changes in a batch. */
interface RecordMove {
  readonly place: ListPosition | null;
  /** The record's revision, of a removal the one after the last. */
  readonly revision: number;
  /** Whether any of the changes led to another place, even if a later one led back. */
  readonly moved: boolean;
  /** The search entries of each place that the changes led to: an earlier try of this batch may have stored them. */
  readonly entries: readonly StoredNumberEntry[];
}

/** A subject, and what was read of it: what it was last counted as, and the record. */
export interface Seen {
  readonly subject: Subject;
  readonly counted: CountedPlace | undefined;
  readonly record: Item | undefined;
}

/** A record's way from the place that it was last counted at to another. */
export interface Move extends Omit<Seen, "record"> {
  readonly place: ListPosition | null;
  readonly revision: number;
  /** The record that the move depends on, null where there must be none; undefined where revisions alone decide. */
  readonly held?: Item | null | undefined;
  /** Entries of neither place that an earlier try may have stored. */
  readonly leftBehind: readonly StoredNumberEntry[];
}

/** The record of a key, to be counted as it is now. Throws on a key of another kind. */
export function subjectAt(key: Key): Subject {
  const { sk: kind } = key;
  if (!isListedKind(kind)) throw new Error("The key is not of a record that stands in a list");
  return { key, kind };
}

/** One record's changes as one. Throws on a record that lacks what its list goes by. */
export function subjectOf(changes: readonly StreamRecord[]): Subject {
  // In the stream's order: revisions go back where the clock did, and a record was removed and made again.
  const [first, last] = [changes[0], changes.at(-1)];
  if (!first || !last) throw new RangeError("A record has no change");
  const subject = subjectAt(last.key);
  if (!last.before && !last.after) return subject;
  const [start, ...places] = [first.before, ...changes.map(({ after }) => after)].map((item) =>
    placeOfItem(subject.kind, item),
  );
  const moved = places.some((place, at) => !isSame(place, at === 0 ? start : places[at - 1]));
  // A transaction removes an item once, however many of the places have it.
  const entries = [...new Map(places.flatMap(entriesOf).map((entry) => [nameOf(entry), entry])).values()];
  const change = { place: places.at(-1) ?? null, revision: revisionAfter(last), moved, entries };
  return { ...subject, change };
}

function revisionAfter({ before, after }: StreamRecord): number {
  return after ? revisionOf(after) : revisionOf(before) + 1;
}

/** Where a change leads, if its revision and what was read agree; undefined where they leave a doubt. */
export function moveByChange(seen: Seen): Move | undefined {
  const { subject, record } = seen;
  if (!subject.change) return undefined;
  const standing = standingOf(seen);
  const { place, revision } = subject.change;
  // A table that was restored may be behind the stream of the one before.
  const isReached = record ? revisionOf(record) >= revision : place === null;
  if (revision > standing.revision) return isReached ? moveTo(seen, subject.change) : undefined;
  const isCounted = isSame(standing.place, place) || isSame(standing.place, placeOfItem(subject.kind, record));
  return isCounted ? moveTo(seen, standing) : undefined;
}

/** Where a record stands now, to be counted while it is as it was read. */
export function moveByRecord(seen: Seen): Move {
  const { subject, record } = seen;
  const standing = standingOf(seen);
  const place = placeOfItem(subject.kind, record);
  if (isSame(standing.place, place)) return moveTo(seen, standing);
  // After a clock that went back, or in a table that was restored, a record's revision may be lower than one that was counted.
  return moveTo(seen, { place, revision: Math.max(standing.revision, revisionOf(record)), held: record ?? null });
}

function standingOf({ counted }: Pick<Seen, "counted">) {
  return { place: counted?.place ?? null, revision: counted?.record_revision ?? 0 };
}

function moveTo(
  { subject, counted }: Seen,
  { place, revision, held }: Pick<Move, "place" | "revision" | "held">,
): Move {
  const current = [...entriesOf(place), ...entriesOf(counted?.place ?? null)];
  const leftBehind = entriesMissingIn(current, subject.change?.entries ?? []);
  return { subject, counted, place, revision, held, leftBehind };
}

/**
 * Whether a move is written. A change that led back to where the record was counted is stored all the same: none before it may
 * be counted after it.
 */
export function isWritten(move: Move): boolean {
  const { subject, place, revision, leftBehind } = move;
  const standing = standingOf(move);
  const isNewer = revision > standing.revision && subject.change?.moved === true;
  return leftBehind.length > 0 || isNewer || !isSame(standing.place, place);
}

function isSame(one: ListPosition | null | undefined, other: ListPosition | null | undefined): boolean {
  return isDeepStrictEqual(one, other);
}

/** The search entries that a move adds. */
export function addedEntries({ counted, place }: Move): StoredNumberEntry[] {
  return entriesMissingIn(entriesOf(counted?.place ?? null), entriesOf(place));
}

/** The writes of a move that are not shared with others. A move that is held to its record adds its entries with it. */
function ownWrites(move: Move, now: Date): TransactionWrite[] {
  const { subject, counted, place, held, leftBehind } = move;
  const gone = [...entriesMissingIn(entriesOf(place), entriesOf(counted?.place ?? null)), ...leftBehind];
  const count = { Put: { Item: nextCountedPlace(subject.key, counted, move, now), ...ifUnchanged(counted) } };
  const writes = [count, ...gone.map(deleteEntry)];
  if (held === undefined) return writes;
  const check = { ConditionCheck: { Key: { ...subject.key }, ...ifUnchanged(held ?? undefined) } };
  return [...writes, check, ...addedEntries(move).map(putEntry)];
}

/** Moves that are written together: what is each one's own, and what they make of the totals. */
export interface Transaction {
  readonly moves: Move[];
  readonly own: TransactionWrite[];
  readonly totals: TotalsByName;
}

/** Cuts moves into as many at a time as one transaction takes, those of a company together, as they share its totals. */
export function* transactionsOf(moves: readonly Move[], now: Date): Generator<Transaction> {
  let open: Transaction | undefined;
  for (const move of moves.toSorted((one, other) => companyOf(one) - companyOf(other))) {
    const { subject, counted, place } = move;
    const own = ownWrites(move, now);
    const changes = changesOf(listsByKind[subject.kind], counted?.place ?? null, place);
    const totals = new Set([...(open?.totals.keys() ?? []), ...changes.keys()]);
    if (open && open.own.length + own.length + totals.size > maxTransactionWrites) {
      yield open;
      open = undefined;
    }
    open ??= { moves: [], own: [], totals: new Map() };
    open.moves.push(move);
    open.own.push(...own);
    for (const { key, figures } of changes.values()) addFigures(open.totals, key, figures);
  }
  if (open) yield open;
}

function companyOf({ place, counted }: Move): number {
  return (place ?? counted?.place)?.companyId ?? 0;
}
