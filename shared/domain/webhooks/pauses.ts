const msPerSecond = 1_000;
/** A receiver that restarts is back within it. */
const firstSeconds = 10;
/** Short enough that a receiver which always fails is tried within every hour. */
export const longestSeconds = 30 * 60;
/** A quarter of a pause is by chance, so that events do not come back all at once. */
const leastShare = 0.75;

/** The time that an event is tried, from its arrival in the webhook's queue. */
export const triedForMs = 24 * 60 * 60 * msPerSecond;

/** The facts that determine the pause after a failed attempt. */
export interface FailedAttempt {
  /** The number of receives of the event, including this one. */
  readonly received: number;
  /** The receiver's `Retry-After`, in seconds or as a date. */
  readonly retryAfter: string | undefined;
}

/**
 * Whole seconds until the next attempt: twice as long each time, up to half an hour, with jitter below that. A receiver
 * may ask for more, up to half an hour. `chance` is from 0 to 1.
 */
export function pauseAfter({ received, retryAfter }: FailedAttempt, now: Date, chance: number): number {
  const backoffSeconds = Math.min(firstSeconds * 2 ** (received - 1), longestSeconds);
  const askedSeconds = Math.min(readRetryAfter(retryAfter, now), longestSeconds);
  return Math.ceil(Math.max(backoffSeconds * (leastShare + (1 - leastShare) * chance), askedSeconds));
}

/** Whether an event has time for another attempt after a pause. */
export function isWorthTrying(queuedAt: Date, pauseSeconds: number, now: Date): boolean {
  return now.getTime() + pauseSeconds * msPerSecond < queuedAt.getTime() + triedForMs;
}

/** Seconds that a receiver asks for; 0 if it asks for none or in an invalid form. */
function readRetryAfter(text = "", now: Date): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(0, (at - now.getTime()) / msPerSecond);
}
