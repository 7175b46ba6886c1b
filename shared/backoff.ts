/** A pause with jitter before another attempt, in milliseconds: the longer the more attempts there were, up to the longest. */
export function jitter(attempt: number, firstMs: number, longestMs: number): number {
  return Math.random() * Math.min(firstMs * 2 ** attempt, longestMs);
}

/** Waits. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms));
}
