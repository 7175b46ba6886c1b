/** A pause with jitter before another attempt, in milliseconds: the longer the more attempts there were, up to the longest. */
export function jitter(attempt: number, firstMs: number, longestMs: number): number {
  return Math.random() * Math.min(firstMs * 2 ** attempt, longestMs);
}

/** A figure from one to another by chance, as what many do at once is spread by. */
export function spread(least: number, most: number): number {
  return least + Math.random() * (most - least);
}

/** Waits. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms));
}
