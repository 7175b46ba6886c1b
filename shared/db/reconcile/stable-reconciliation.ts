import { sleep } from "../../backoff.ts";
import type { Key } from "../table/table.ts";
import { createFindings, type Findings } from "./findings.ts";
import { compare, type Reconciliation } from "./reconcile-totals.ts";
import { bucketOf, differing } from "./sums.ts";

/** How passes are repeated until what they find is stable. */
export interface StableReconcileOptions {
  /** Reads what is compared, and names the differences in these buckets of keys. */
  look(suspects: readonly number[]): Promise<Findings>;
  /** How long the stream's consumers have to count what was just changed, before the next pass. */
  readonly pauseMs: number;
  /** Most buckets whose differences are named: they and what they count are in memory. All of them where it is left out. */
  readonly mostSuspects?: number;
  /** True where consumers that are behind are waited for, as long as they catch up. */
  readonly isPatient?: boolean;
  /** Called while they are, with the number of buckets that differ. */
  onWaiting?(differing: number): void;
}

/** What differs, and goes on doing so. */
export interface StableReconciliation {
  readonly found: Reconciliation;
  /** The buckets that the differences were named of. */
  readonly suspects: readonly number[];
  /** Buckets that differ as well, whose differences are not named. */
  readonly unnamed: number;
}

/**
 * Reconciles until nothing differs, or the differences are stable: only what two passes find unchanged is a difference. One more
 * pass names it, and leaves out what changed again.
 */
export async function reconcileUntilStable(options: StableReconcileOptions): Promise<StableReconciliation> {
  const { look, pauseMs, mostSuspects, isPatient = false, onWaiting } = options;
  let [before, last] = [createFindings(), await look([])];
  const open = () => differing(last.sums).length;
  for (let passes = 1; open() > 0 && (passes === 1 || isPatient); passes += 1) {
    if (passes > 1 && open() >= differing(before.sums).length) break;
    if (passes > 1) onWaiting?.(open());
    await sleep(pauseMs);
    [before, last] = [last, await look([])];
  }
  const stable = differing(last.sums, before.sums);
  if (stable.length === 0)
    return { found: compare({ ...createFindings(), records: last.records }), suspects: [], unnamed: 0 };
  const suspects = stable.slice(0, mostSuspects);
  await sleep(pauseMs);
  const named = await look(suspects);
  const found = onlyIn(differing(named.sums, last.sums), compare(named));
  return { found, suspects, unnamed: stable.length - suspects.length };
}

function onlyIn(
  buckets: readonly number[],
  { drifts, uncounted, unreadable, ...rest }: Reconciliation,
): Reconciliation {
  const still = new Set(buckets);
  const isStill = (key: Key) => still.has(bucketOf(key));
  return {
    ...rest,
    drifts: drifts.filter(({ key }) => isStill(key)),
    uncounted: uncounted.filter(isStill),
    unreadable: unreadable.filter(isStill),
  };
}

/** The number of differences; more than those where buckets of them are not named. */
export function countDifferences({ found, unnamed }: StableReconciliation): number {
  return found.drifts.length + found.uncounted.length + found.unreadable.length + unnamed;
}

/** A line for each difference: the key, and what is wrong with it. Keys are ids of records and companies. */
export function differencesOf({ drifts, uncounted, unreadable }: Reconciliation): string[] {
  return [
    ...drifts.map(
      ({ key, figure, stored, counted }) => `${key.pk} ${key.sk} ${figure}: ${stored}, should be ${counted}`,
    ),
    ...uncounted.map((key) => `${key.pk}: not counted as it is now`),
    ...unreadable.map((key) => `${key.pk}: lacks what its list goes by`),
  ];
}
