/** A source of numbers that look random; the same seed gives the same numbers (mulberry32). */
export function chanceOf(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** A whole number from `low` to `high`, both included. */
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    between,
    pick: <T>(choices: readonly [T, ...T[]]): T => choices[between(0, choices.length - 1)] ?? choices[0],
    /** True in this percentage of cases. */
    percent: (share: number) => next() * 100 < share,
  };
}

/** The date so many days after another, or before it if negative. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

export function atMinute(date: string, minute: number): string {
  return new Date(Date.parse(date) + minute * 60_000).toISOString();
}
