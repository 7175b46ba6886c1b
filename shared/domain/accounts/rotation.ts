/** How long a key signs before the next one is made (D6). */
const rotationDays = 30;

/** How long a new key is published before it signs, so that every cache of the key set knows it (D6). */
const publishedAheadMinutes = 10;

/** How long a key stays published after the next one signs: a token's life, and the age of a cached key set (D6). */
const publishedAfterMinutes = 15 + 5;

const msPerMinute = 60_000;

/** When the next key signs: at once for the first, later for one that follows; undefined while none is due. */
export function nextKeySignsFrom(newestSignsFrom: Date | undefined, now: Date): Date | undefined {
  if (!newestSignsFrom) return now;
  const isDue = now.getTime() - newestSignsFrom.getTime() >= rotationDays * 24 * 60 * msPerMinute;
  return isDue ? new Date(now.getTime() + publishedAheadMinutes * msPerMinute) : undefined;
}

/** Until when a key must stay published once its successor's first moment is known. */
export function publishedUntil(successorSignsFrom: Date): Date {
  return new Date(successorSignsFrom.getTime() + publishedAfterMinutes * msPerMinute);
}
