import { msPerMinute } from "../../contract/values.ts";
/** Days that a key signs before the next one is created (D6). */
export const rotationDays = 30;

/** Minutes that a new key is published before it signs, so that every cache of the key set has it (D6). */
export const publishedAheadMinutes = 10;

/** Minutes that a key stays published after the next one signs: a token's life and the age of a cached key set (D6). */
export const publishedAfterMinutes = 15 + 5;

/** The time from which the next key signs: now for the first, later for its successors; undefined while none is due. */
export function nextKeySignsFrom(newestSignsFrom: Date | undefined, now: Date): Date | undefined {
  if (!newestSignsFrom) return now;
  const isDue = now.getTime() - newestSignsFrom.getTime() >= rotationDays * 24 * 60 * msPerMinute;
  return isDue ? new Date(now.getTime() + publishedAheadMinutes * msPerMinute) : undefined;
}

/** Age at which a published but unstored key counts as abandoned. A younger one may belong to a running rotation. */
const abandonedAfterMinutes = 60;

/** A key that signs from a time until the next key signs. */
interface ScheduledKey {
  readonly kid: string;
  readonly signsFrom: Date;
}

/** A published key that is not yet retired. */
export interface PublishedKey {
  readonly kid: string;
  readonly publishedAt: Date;
}

/**
 * The published keys to retire, and when. A key with a successor ends when its last token expires. A key that is not
 * stored was left by an interrupted run, and ends as if it had signed until now.
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
