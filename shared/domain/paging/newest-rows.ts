/**
 * The records of a list that share a day and a state, as far as they are known from the totals: how many there are at
 * most, and between which ids. The highest id is an upper bound and the lowest a lower one: records that left are not
 * taken out of them.
 */
export interface Stretch {
  /** YYYY-MM-DD; null for all days taken together, other days among them. */
  readonly date: string | null;
  readonly state: string;
  readonly count: number;
  readonly highest: number;
  readonly lowest: number;
}

/** The stretches of each state as one, which other days' records stand between. */
export function withoutDays(stretches: readonly Stretch[]): Stretch[] {
  const byState = new Map<string, Stretch>();
  for (const { state, count, highest, lowest } of stretches) {
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

/** What of the stretches is below an id; how many records that leaves is an estimate, as if ids were evenly spread. */
export function belowId(stretches: readonly Stretch[], beforeId: number): Stretch[] {
  return stretches.flatMap((stretch) => {
    const { count, highest, lowest } = stretch;
    if (lowest >= beforeId) return [];
    if (highest < beforeId) return [stretch];
    const share = (beforeId - lowest) / (highest - lowest + 1);
    return [{ ...stretch, highest: beforeId - 1, count: Math.max(1, Math.floor(count * share)) }];
  });
}

/**
 * The highest id from which on the stretches promise so many records; 0 when they promise fewer. A stretch promises one
 * record at its highest id, and all of them from its lowest on.
 */
export function promisingFrom(stretches: readonly Stretch[], wanted: number): number {
  const promises = stretches.flatMap(({ count, highest, lowest }) => [
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
