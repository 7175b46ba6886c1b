/** A random pause before another attempt, in milliseconds. The bound doubles with each attempt, up to the longest. */
export function jitter(attempt: number, firstMs: number, longestMs: number): number {
  return Math.random() * Math.min(firstMs * 2 ** attempt, longestMs);
}

/** A random number between two, to spread things that many do at the same time. */
export function spread(least: number, most: number): number {
  return least + Math.random() * (most - least);
}

/** Waits for so many milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms));
}
