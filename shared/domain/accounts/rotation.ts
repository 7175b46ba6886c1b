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

/** How old a published key is that belongs to no run under way: a run may have published a key and not stored it yet. */
const abandonedAfterMinutes = 60;

/** A key that signs from a moment on, until the next one does. */
interface ScheduledKey {
  readonly kid: string;
  readonly signsFrom: Date;
}

/** A key whose publication has no end yet. */
export interface PublishedKey {
  readonly kid: string;
  readonly publishedAt: Date;
}

/**
 * Which published keys get an end, and when: one with a successor when its last token is over, and one that is not among
 * those that sign as if it had signed until now; such a one was left by a run that broke off.
 */
export function keysToRetire(
  published: readonly PublishedKey[],
  schedule: readonly ScheduledKey[],
  now: Date,
): { readonly kid: string; readonly validTo: Date }[] {
  return published.flatMap(({ kid, publishedAt }) => {
    const at = schedule.findIndex((key) => key.kid === kid);
    const isAbandoned = at < 0 && now.getTime() - publishedAt.getTime() >= abandonedAfterMinutes * msPerMinute;
    const signsTo = at < 0 ? isAbandoned && now : schedule[at + 1]?.signsFrom;
    return signsTo ? [{ kid, validTo: new Date(signsTo.getTime() + publishedAfterMinutes * msPerMinute) }] : [];
  });
}
