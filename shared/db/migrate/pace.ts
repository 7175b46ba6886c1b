/** Gives turns at most so many times a second. */
export function createPace(perSecond: number): () => Promise<void> {
  let next = performance.now();
  return async () => {
    const now = performance.now();
    next = Math.max(next, now) + 1000 / perSecond;
    const pause = next - 1000 / perSecond - now;
    if (pause >= 1) await new Promise((resume) => setTimeout(resume, pause));
  };
}
