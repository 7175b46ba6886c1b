const msPerSecond = 1_000;
const firstSeconds = 10;
/** Short enough that a receiver which fails throughout is seen to fail within every hour. */
const longestSeconds = 30 * 60;
const leastShare = 0.75;

/** How long an event is tried, from when it came into the webhook's queue. */
export const triedForMs = 24 * 60 * 60 * msPerSecond;

/** What the pause after a failed attempt follows from. */
export interface FailedAttempt {
  /** How often the event was received by now, this time included. */
  readonly received: number;
  /** The receiver's `Retry-After`, in seconds or as a date. */
  readonly retryAfter: string | undefined;
}

/**
 * Whole seconds until the next attempt: twice as long each time, up to half an hour, with jitter below that. A receiver that
 * asks for longer gets as much as half an hour. `chance` is from 0 to 1.
 */
export function pauseAfter({ received, retryAfter }: FailedAttempt, now: Date, chance: number): number {
  const own = Math.min(firstSeconds * 2 ** Math.min(received - 1, 20), longestSeconds);
  const asked = Math.min(readRetryAfter(retryAfter, now), longestSeconds);
  return Math.ceil(Math.max(own * (leastShare + (1 - leastShare) * chance), asked));
}

/** Whether an event is worth another attempt after a pause. */
export function isWorthTrying(queuedAt: Date, pauseSeconds: number, now: Date): boolean {
  return now.getTime() + pauseSeconds * msPerSecond < queuedAt.getTime() + triedForMs;
}

/** Seconds that a receiver asks for; 0 where it asks for none, or in a way that says nothing. */
function readRetryAfter(text = "", now: Date): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(0, (at - now.getTime()) / msPerSecond);
}
