import { putIf } from "../table/conditional-writes.ts";
import { type Pace, paces } from "../table/retry.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import { type Count, counterWrites, foldCounts, partFor, userParts } from "./counters.ts";

/** The part of the counters that a transaction writes after so many conflicts. */
type PartOf = (conflicts: number) => number;

const userPartOf: PartOf = (conflicts) => partFor(userParts, 0, conflicts);

/**
 * Carries out the writes of a change and adds its counts, all or none. Returns the positions of the writes whose
 * conditions failed.
 */
export type Commit = (writes: readonly TransactionWrite[], counts?: readonly Count[]) => Promise<readonly number[]>;

/**
 * Carries out the writes of a change and adds its counts in one transaction. A single put without counts is no
 * transaction, which costs half. Refuses with `busy` if others' transactions hold the items for longer than the pace.
 * Counts go to a part of the users, unless `partOf` names others.
 */
export async function commitTogether(
  writes: readonly TransactionWrite[],
  counts: readonly Count[] = [],
  pace: Pace = paces.conflict,
  partOf: PartOf = userPartOf,
): Promise<readonly number[]> {
  const folded = foldCounts(counts);
  const put = writes.length === 1 && folded.length === 0 ? writes[0]?.Put : undefined;
  if (put) return (await putIf(put)) ? [] : [0];
  return transact((conflicts) => [...writes, ...counterWrites(folded, partOf(conflicts))], pace);
}
