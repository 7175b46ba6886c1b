import { putIf } from "../table/conditional-writes.ts";
import { retryConflicts } from "../table/retry.ts";
import { type TransactionWrite, transactOnce } from "../table/transaction.ts";
import { type Count, counterWrites, foldCounts, partFor, userParts } from "./counters.ts";

/** The part of the counters that a transaction writes after so many attempts. */
type PartOf = (attempts: number) => number;

const userPartOf: PartOf = (attempts) => partFor(userParts, 0, attempts);

/**
 * Carries out the writes of a change and adds its counts, all or none. Returns the positions of the writes whose
 * conditions failed.
 */
export type Commit = (writes: readonly TransactionWrite[], counts?: readonly Count[]) => Promise<readonly number[]>;

/**
 * Carries out the writes of a change and adds its counts in one transaction. A single put without counts is no
 * transaction, which costs half. Refuses with `busy` if others' transactions hold the items for longer than a second.
 * Counts go to a part of the users, unless `partOf` names others.
 */
export async function commitTogether(
  writes: readonly TransactionWrite[],
  counts: readonly Count[] = [],
  partOf: PartOf = userPartOf,
): Promise<readonly number[]> {
  const folded = foldCounts(counts);
  const put = writes.length === 1 && folded.length === 0 ? writes[0]?.Put : undefined;
  if (put) return (await putIf(put)) ? [] : [0];
  return retryConflicts((count, leftMs) => commitOnce(writes, counts, { count, leftMs }, partOf));
}

/** An attempt to commit: the number of attempts before it, and the time that is left. */
export interface Attempt {
  readonly count: number;
  readonly leftMs: number;
}

/** As `commitTogether`, but throws if others' transactions hold the items, so that the caller decides again. */
export function commitOnce(
  writes: readonly TransactionWrite[],
  counts: readonly Count[],
  { count, leftMs }: Attempt,
  partOf: PartOf = userPartOf,
): Promise<readonly number[]> {
  return transactOnce([...writes, ...counterWrites(foldCounts(counts), partOf(count))], leftMs);
}
