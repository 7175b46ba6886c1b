import { isDeepStrictEqual } from "node:util";
import { sleep } from "../../backoff.ts";
import { nameOf } from "../table/keys.ts";
import { type Drift, type ReconcileOptions, type Reconciliation, reconcileTotals } from "./reconcile-totals.ts";

/** How passes over the table are repeated until what they find is stable. */
export interface StableReconcileOptions extends Pick<ReconcileOptions, "isConsistent"> {
  /** How long the stream's consumers have to count what was just changed, before the next pass. */
  readonly pauseMs: number;
  /** Most passes; the findings of the last one are taken as they are. Unlimited where it is left out. */
  readonly maxRounds?: number;
  /** Called before each pass; what it gives is called with the number of records seen so far. */
  beginProgress?(): (records: number) => void;
  /** Called while consumers are behind, with the number of records that they have yet to count. */
  onWaiting?(uncounted: number): void;
}

/** What the last pass found that is stable, and the pass before it. */
export interface StableReconciliation {
  readonly first: Reconciliation;
  readonly last: Reconciliation;
}

/**
 * Reconciles the table until nothing differs, or the differences are stable. Waits for consumers that are behind, as long as
 * they catch up. Only what differs in two passes, unchanged between them, is a difference.
 */
export async function reconcileUntilStable(options: StableReconcileOptions): Promise<StableReconciliation> {
  const { pauseMs, maxRounds = Number.POSITIVE_INFINITY, beginProgress, isConsistent, onWaiting } = options;
  const runPass = () => reconcileTotals({ isConsistent, onProgress: beginProgress?.() });
  let first = await runPass();
  let last = first;
  for (let passes = 1; !isRight(last) && passes < maxRounds; passes += 1) {
    await sleep(pauseMs);
    [first, last] = [last, await runPass()];
    if (last.uncounted.length >= first.uncounted.length) break;
    onWaiting?.(last.uncounted.length);
  }
  return { first, last: first === last ? last : stillIn(first, last) };
}

/** True when nothing differs. */
export function isRight({ drifts, uncounted, unreadable }: Reconciliation): boolean {
  return drifts.length + uncounted.length + unreadable.length === 0;
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

function stillIn(first: Reconciliation, last: Reconciliation): Reconciliation {
  const wasUncounted = new Set(first.uncounted.map(nameOf));
  const uncounted = last.uncounted.filter((key) => wasUncounted.has(nameOf(key)));
  const drifts = last.drifts.filter((drift) => isUnchanged(drift, first, last));
  return { ...last, uncounted, drifts };
}

function isUnchanged(drift: Drift, first: Reconciliation, last: Reconciliation): boolean {
  if (drift.figure === "entries") return first.drifts.some((each) => isDeepStrictEqual(each, drift));
  const name = nameOf(drift.key);
  return first.stored.get(name)?.revision === last.stored.get(name)?.revision;
}
