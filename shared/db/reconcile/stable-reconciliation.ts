import { isDeepStrictEqual } from "node:util";
import { nameOf } from "../table/keys.ts";
import { type Drift, type ReconcileOptions, type Reconciliation, reconcileTotals } from "./reconcile-totals.ts";

/** How surveys are repeated until what they find holds still. */
export interface SettlingOptions extends Pick<ReconcileOptions, "isConsistent"> {
  /** How long the consumers of the stream have to count what was just changed before it is looked at again. */
  readonly pauseMs: number;
  /** Most surveys before what the last one found is taken as it is; without end where it is left out. */
  readonly maxRounds?: number;
  /** Called before each survey; what it gives is called with the number of records seen so far. */
  beginProgress?(): (records: number) => void;
  /** Called when consumers that are behind are waited for, with the number of records that they have yet to count. */
  onWaiting?(uncounted: number): void;
}

/** What the last survey found that holds still, and the survey before it. */
export interface StableReconciliation {
  readonly first: Reconciliation;
  readonly last: Reconciliation;
}

/**
 * Surveys the table until nothing differs, or what differs stays: what was just changed is on its way, and consumers that
 * are behind are waited for as long as they come nearer. Only what differs in two surveys, unchanged between them, is a
 * difference.
 */
export async function reconcileUntilStable(options: SettlingOptions): Promise<StableReconciliation> {
  const { pauseMs, maxRounds = Number.POSITIVE_INFINITY, beginProgress, isConsistent, onWaiting } = options;
  const survey = () => reconcileTotals({ isConsistent, onProgress: beginProgress?.() });
  let first = await survey();
  let last = first;
  for (let surveys = 1; !isRight(last) && surveys < maxRounds; surveys += 1) {
    await new Promise((resume) => setTimeout(resume, pauseMs));
    [first, last] = [last, await survey()];
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
