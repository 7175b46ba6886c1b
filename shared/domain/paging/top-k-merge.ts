/**
 * The records of a list that share a day and a state, as far as they are known from the totals: how many there are at
 * most, and between which ids. The highest id is an upper bound and the lowest a lower one: records that left are not
 * taken out of them.
 */
export interface DayBucket {
  /** YYYY-MM-DD; null for all days taken together, other days among them. */
  readonly date: string | null;
  readonly state: string;
  readonly count: number;
  readonly highest: number;
  readonly lowest: number;
}

/** The buckets of each state as one, which other days' records stand between. */
export function mergeDays(buckets: readonly DayBucket[]): DayBucket[] {
  const byState = new Map<string, DayBucket>();
  for (const { state, count, highest, lowest } of buckets) {
    const known = byState.get(state) ?? { date: null, state, count: 0, highest, lowest };
    byState.set(state, {
      ...known,
      count: known.count + count,
      highest: Math.max(known.highest, highest),
      lowest: Math.min(known.lowest, lowest),
    });
  }
  return [...byState.values()];
}

/** What of the buckets is below an id; how many records that leaves is an estimate, as if ids were evenly spread. */
export function belowId(buckets: readonly DayBucket[], beforeId: number): DayBucket[] {
  return buckets.flatMap((bucket) => {
    const { count, highest, lowest } = bucket;
    if (lowest >= beforeId) return [];
    if (highest < beforeId) return [bucket];
    const share = (beforeId - lowest) / (highest - lowest + 1);
    return [{ ...bucket, highest: beforeId - 1, count: Math.max(1, Math.floor(count * share)) }];
  });
}

/**
 * The highest id from which on the buckets promise so many records; 0 when they promise fewer. A bucket promises one
 * record at its highest id, and all of them from its lowest on.
 */
export function thresholdFor(buckets: readonly DayBucket[], wanted: number): number {
  const promises = buckets.flatMap(({ count, highest, lowest }) => [
    { id: highest, more: 1 },
    { id: lowest, more: count - 1 },
  ]);
  let promised = 0;
  for (const { id, more } of promises.sort((a, b) => b.id - a.id)) {
    promised += more;
    if (promised >= wanted) return id;
  }
  return 0;
}
